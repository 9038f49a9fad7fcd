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
