here=$(cd -P -- "$(dirname -- "$0")" && pwd)
results=${RESULTS:-$here/results}
torchpatch=${TORCHPATCH:-$here/torchpatch/bin/torchpatch}
[ -x "$torchpatch" ] || torchpatch=torchpatch

say() {
  printf '%s: %s\n' "${0##*/}" "$1" >&2
}

fail() {
  say "error: $1"
  exit "${2:-1}"
}

command -v "$torchpatch" >/dev/null || fail "'$torchpatch' not found: install it, or set TORCHPATCH to the program"
