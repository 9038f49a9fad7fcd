#!/bin/bash
# Builds everything once, runs the tests, builds the documentation and checks the format.
#
#   Tests/run.sh                     all of it, in a debug build
#   Tests/run.sh --release           the tests in a release build
#   Tests/run.sh --sanitize=thread   the tests under a sanitizer (thread or address)
#
# What else is given goes to `swift test`, for instance `--filter TimerTests`.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
cd "$root"
source .ci/libevent.sh
ensure_libevent
# The tests of idleness watch a loop's system calls.
ensure_command strace strace
source .ci/servers.sh
ensure_servers
source .ci/optional.sh
ensure_glib

# Each kind of build has a folder of its own, so that none throws away what another has built.
build=()
test=()
scratch=.build
for argument in "$@"; do
  case "$argument" in
    --release)
      build+=(--configuration release)
      ;;
    --sanitize=thread | --sanitize=address)
      build+=("$argument")
      scratch=".build/${argument#--}"
      ;;
    *)
      test+=("$argument")
      ;;
  esac
done
build+=(--scratch-path "$scratch")
if [ "$scratch" != .build ]; then
  # A sanitizer prints stacks of its own; Swift's tracer of crashes, of which some are meant, hangs beside it.
  export SWIFT_BACKTRACE=enable=no
fi

echo "== Building"
swift build --build-tests "${build[@]}"

echo "== Testing"
# Each target in a process of its own and its tests one after the other: many are about what a whole process
# shares, such as signals and the numbers of descriptors.
if [ ${#test[@]} -gt 0 ]; then
  swift test --skip-build --disable-xctest --no-parallel "${build[@]}" "${test[@]}"
else
  for target in Tests/*Tests; do
    target="${target#Tests/}"
    echo "-- $target"
    swift test --skip-build --disable-xctest --no-parallel "${build[@]}" --filter "^$target\\."
  done
fi

echo "== Documentation"
Tests/documentation.sh "$(swift build --show-bin-path "${build[@]}")"

echo "== Format"
swift format lint --strict --recursive Sources Tests Examples Package.swift

echo "== All is well"
