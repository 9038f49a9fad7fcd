# Sourced after libevent.sh: libraries that the manifest looks for, and without which some examples are not there.

ensure_glib() { ensure_optional GLib glib-2.0 libglib2.0-dev; }

ensure_gtk() { ensure_optional GTK gtk+-3.0 libgtk-3-dev; }

ensure_xcb() {
  ensure_optional XCB "xcb xcb-present xcb-randr" libxcb1-dev libxcb-present-dev libxcb-randr0-dev
}

# ensure_optional <name> <pkg-config's modules> <packages>
ensure_optional() {
  local name="$1" modules="$2"
  shift 2
  # shellcheck disable=SC2086 # the modules are words
  if pkg-config --exists $modules 2>/dev/null; then return; fi
  echo "$name's development files are missing: installing $*" >&2
  install_packages "$@"
  # What the manifest once said is not to be remembered.
  swift package purge-cache
}
