#!/bin/sh
# Builds and runs the benchmarks; from any directory. Arguments go to the program: see `run.sh --help`.
#
#   run.sh [arguments]           the loop beside its peers
#   run.sh frames [arguments]    how late frames are, beside the bare floor
set -eu
cd "$(dirname "$0")"
if ! pkg-config --exists libevent_core 2>/dev/null; then
  sudo=
  [ "$(id -u)" -eq 0 ] || sudo=sudo
  $sudo apt-get update
  $sudo apt-get install -y libevent-dev pkg-config
fi
product=Benchmarks
if [ "${1:-}" = frames ]; then
  product=FramePacing
  shift
fi
swift build -c release --product "$product" >&2
exec "$(swift build -c release --show-bin-path)/$product" "$@"
