# SPDX-License-Identifier: BSD-3-Clause
# Sourced by the end-to-end tests: TORCHPATCH names the program; each test has a directory and a HOME of its own.
# shellcheck shell=bash
set -euo pipefail

CHECKOUT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
TORCHPATCH=${TORCHPATCH:?set TORCHPATCH to the program under test}
WORK=$(mktemp -d)
cleanup() { chmod -R u+rwX "$WORK" 2>/dev/null || true; rm -rf "$WORK"; }
trap cleanup EXIT
export HOME=$WORK/home XDG_CACHE_HOME=$WORK/cache XDG_STATE_HOME=$WORK/state GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null
unset XDG_DATA_HOME GIT_DIR GIT_WORK_TREE
mkdir -p "$HOME"
cd "$WORK"

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

skip() {
  echo "SKIPPED: $*" >&2
  exit 125
}

# expect_status CODE COMMAND…: runs it, output to $WORK/out.txt and err.txt.
expect_status() {
  local wanted=$1 status=0
  shift
  "$@" >"$WORK/out.txt" 2>"$WORK/err.txt" || status=$?
  [ "$status" = "$wanted" ] || fail "'$*' ended with $status, not $wanted: $(tail -n 5 "$WORK/err.txt")"
}

expect_text() { # FILE TEXT
  grep -qF -- "$2" "$1" || fail "no '$2' in: $(cat "$1")"
}

sample() { # OUT [OPTION…]
  local out=$1
  shift
  "$TORCHPATCH" prepare --version 1.1.0 --board tx2 --source sample --output "$out" --quiet "$@" >"$WORK/prepared.txt"
}

# Everything of a tree that counts, as text.
fingerprint() { (cd "$1" && find . -printf '%p %y %m %T@ %l\n' | LC_ALL=C sort && find . -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum); }
