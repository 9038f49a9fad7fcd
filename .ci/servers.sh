# Sourced after libevent.sh by the script that tests: time servers for the tests of server time.

# Installs chronyd and nginx where that starts nothing: as services they would set the clock and take ports. On a
# machine that runs services, and wherever they can't be had, the tests that need them say that they are skipped.
ensure_servers() {
  local missing=()
  find_server chronyd || missing+=(chrony)
  find_server nginx || missing+=(nginx-light)
  if [ ${#missing[@]} -eq 0 ]; then return; fi
  if [ -d /run/systemd/system ]; then
    echo "Not installed: ${missing[*]}. They would start as services, so the tests with them are skipped." >&2
    return
  fi
  echo "Time servers to test against are missing: installing ${missing[*]}" >&2
  install_packages "${missing[@]}" ||
    echo "They can't be installed, so the tests with them are skipped." >&2
}

find_server() {
  PATH="$PATH:/usr/sbin:/usr/local/sbin:/sbin" command -v "$1" >/dev/null
}
