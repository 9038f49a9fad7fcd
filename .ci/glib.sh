# Sourced after libevent.sh: GLib, for the examples and tests of the loop in GLib and of GLib in the loop.

ensure_glib() {
  if pkg-config --exists glib-2.0 2>/dev/null; then return; fi
  echo "GLib's development files are missing: installing libglib2.0-dev" >&2
  install_packages libglib2.0-dev
  # The manifest looks for GLib, and what it once said is not to be remembered.
  swift package purge-cache
}
