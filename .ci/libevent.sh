# Sourced by the scripts that build: makes sure that libevent's development files are there.

install_packages() {
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then as_root=(sudo); fi
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

ensure_libevent() {
  if pkg-config --exists libevent_core 2>/dev/null; then return; fi
  echo "libevent's development files are missing: installing libevent-dev" >&2
  install_packages libevent-dev pkg-config
}

# Installs a package if a command is missing.
ensure_command() {
  if command -v "$1" >/dev/null 2>&1; then return; fi
  echo "$1 is missing: installing $2" >&2
  install_packages "$2"
}
