#!/bin/bash
# Builds and runs the examples.
#
#   Examples/run.sh                     the tour: each of them once, no typing needed
#   Examples/run.sh Chat [arguments]    that one
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source .ci/libevent.sh
ensure_libevent

tour=(FirstProgram ConsistentNow Modes WorkerLoop Animation FlashSale Chat)

if [ $# -gt 0 ]; then
  name="$1"
  shift
  if [ ! -d "Examples/$name" ]; then
    echo "There is no example \"$name\". There are: ${tour[*]}" >&2
    exit 64
  fi
  swift build --product "$name"
  products="$(swift build --show-bin-path)"
  exec "$products/$name" "$@"
fi

swift build
products="$(swift build --show-bin-path)"
for name in "${tour[@]}"; do
  echo
  echo "== $name"
  case "$name" in
    # The server would wait for guests: here it brings its own, and stops itself by SIGTERM.
    Chat) "$products/Chat" --tour ;;
    # Without a terminal to take over it only counts its frames.
    Animation) "$products/Animation" 1 </dev/null ;;
    *) "$products/$name" ;;
  esac
done
