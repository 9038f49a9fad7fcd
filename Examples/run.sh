#!/bin/bash
# Builds and runs the examples.
#
#   Examples/run.sh                     the tour: each of them once, no typing needed
#   Examples/run.sh Chat [arguments]    that one
#   Examples/run.sh Window              one that needs an X server; installs the libraries for it
#   Examples/run.sh Gtk                 the other; brings a server of its own where there is no display
#   Examples/run.sh GLibProgram         the loop in a program that belongs to GLib, which it installs
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source .ci/libevent.sh
source .ci/optional.sh
ensure_libevent

tour=(FirstProgram ConsistentNow Modes WorkerLoop Animation FlashSale Countdown Alarm Rows PollHost Chat)

if [ $# -gt 0 ]; then
  name="$1"
  shift
  if [ ! -d "Examples/$name" ]; then
    echo "There is no example \"$name\". There are: ${tour[*]}" >&2
    exit 64
  fi
  case "$name" in
    Window) ensure_xcb ;;
    Gtk) ensure_gtk ;;
    GLibProgram) ensure_glib ;;
  esac
  # The manifest looks for XCB, GLib and GTK, and may be asked after somebody has installed them by hand.
  swift build --product "$name" --manifest-cache none
  products="$(swift build --show-bin-path)"
  if [ "$name" = Gtk ] && [ -z "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
    ensure_command Xvfb xvfb
    ensure_command xauth xauth
    # Nobody can close a window that nobody sees.
    if [ $# -eq 0 ]; then set -- --seconds 5 --click; fi
    exec xvfb-run --auto-servernum "$products/$name" "$@"
  fi
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
    # A minute and more, in a moment.
    Countdown) "$products/Countdown" --fast ;;
    *) "$products/$name" ;;
  esac
done
