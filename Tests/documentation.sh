#!/bin/bash
# Builds the documentation of the public modules from what is already built; a warning is an error.
#
#   Tests/documentation.sh <folder of the built products> [<folder for the result>]
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
products="$(cd "$1" && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
result="${2:-$work/result}"
mkdir -p "$result"

swift="$(command -v swift)"
tools="$(dirname "$(readlink -f "$swift")")"
triple="$(swift -print-target-info | sed -n 's/^ *"triple": "\(.*\)",$/\1/p' | head -n 1)"

# The graph of a module's public symbols, read from the module as it was compiled.
extract() {
  mkdir -p "$work/$1"
  "$tools/swift-symbolgraph-extract" \
    -module-name "$1" -target "$triple" -minimum-access-level public -skip-inherited-docs \
    -I "$products/Modules" -I "$root/Sources/CLibevent" \
    -Xcc -fmodule-map-file="$products/CLoopShims.build/module.modulemap" \
    -output-dir "$work/$1"
}

convert() {
  "$tools/docc" convert "$@" --warnings-as-errors
}

extract WakeLoop
convert "$root/Sources/WakeLoop/WakeLoop.docc" --additional-symbol-graph-dir "$work/WakeLoop" \
  --output-path "$result/WakeLoop.doccarchive"

extract WakeLoopTesting
convert --additional-symbol-graph-dir "$work/WakeLoopTesting" \
  --fallback-display-name WakeLoopTesting --fallback-bundle-identifier WakeLoopTesting \
  --output-path "$result/WakeLoopTesting.doccarchive"

extract WakeLoopFoundation
convert --additional-symbol-graph-dir "$work/WakeLoopFoundation" \
  --fallback-display-name WakeLoopFoundation --fallback-bundle-identifier WakeLoopFoundation \
  --output-path "$result/WakeLoopFoundation.doccarchive"
