#!/bin/sh
# Builds and runs the benchmarks; from any directory. Arguments go to the program: see `run.sh --help`.
set -eu
cd "$(dirname "$0")"
if ! pkg-config --exists libevent_core 2>/dev/null; then
  sudo=
  [ "$(id -u)" -eq 0 ] || sudo=sudo
  $sudo apt-get update
  $sudo apt-get install -y libevent-dev pkg-config
fi
swift build -c release --product Benchmarks >&2
exec "$(swift build -c release --show-bin-path)/Benchmarks" "$@"
