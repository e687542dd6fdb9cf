#!/usr/bin/env bash
# Configures real PyTorch releases for ARM by the sysroot recipe, without a network, and compares CMake's summary with the
# plan. As root, with TORCHPATCH, TORCHPATCH_MIRROR (a folder of copies of PyTorch's repositories) and BUILDS, a directory
# that keeps the root of the builder and the logs.
#
#   tests/builds/configure.sh [RELEASE[/ARCH]…] [-- OPTION OF prepare…]
#
# Without a name: all releases whose sources are there, for both architectures. Prints a line for each build; exit code 1 where one failed.
set -euo pipefail

checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
torchpatch=$(readlink -e -- "${TORCHPATCH:?set TORCHPATCH to the program under test}")
mirror=$(readlink -e -- "${TORCHPATCH_MIRROR:?set TORCHPATCH_MIRROR to a folder with copies of the repositories}")
mkdir -p "${BUILDS:?set BUILDS to a directory with room for 10 GB}"
builds=$(cd "$BUILDS" && pwd)

names=()
while [ "$#" -gt 0 ] && [ "$1" != -- ]; do
  names+=("$1")
  shift
done
[ "$#" = 0 ] || shift
options=("$@")
[ "${#names[@]}" -gt 0 ] || mapfile -t names < <(find "$checkout/releases" -name '*.json' -printf '%f\n' | sed 's/\.json$//' | sort -V)

# What stands in for the system of both architectures is Debian 11, whose compiler all releases up to 2.1 take.
system=debian-11
options_of() {
  case $1 in
    aarch64) echo --image debian-11 ;;
    armv7l) echo --image raspios-11-32 ;;
  esac
}

line() { printf '%-8s %-8s %-8s %6s %5s  %s\n' "$@"; }

# The recipe finds the root that an earlier one made; it claims WORK by its name and the digests of plan and manifest.
lend_root() { # WORK MANIFEST
  mkdir "$1"
  [ -d "$builds/root" ] || return 0
  ln -s "$builds/root" "$1/root"
  printf 'sysroot %s %s\n' "$(sed -n 's/^  "plan": "\(.*\)",$/\1/p' "$2")" "$(sha256sum <"$2" | cut -c 1-64)" >"$1/recipe"
}

keep_root() { # WORK
  if [ -d "$1/root" ] && [ ! -L "$1/root" ]; then mv "$1/root" "$builds/root"; fi
}

first_error() { # LOG
  grep -m 1 -E 'CMake Error|Could not find any of|[Ee]rror:|fatal:|Could not resolve|FAIL ' "$1" | cut -c 1-150 || tail -n 1 "$1" | cut -c 1-150
}

build() { # RELEASE ARCH
  local place=$builds/$1-$2 log=$builds/logs/$1-$2.log status=0 began
  local out=$place/out work=$place/work recipe=$place/recipe
  rm -rf "$place"
  mkdir "$place"
  # shellcheck disable=SC2046  # words
  "$torchpatch" prepare --version "$1" --board rpi4 $(options_of "$2") --set cross=true --component torch --force \
    --allow-partial --mirror "$mirror" --output "$out" --quiet "${options[@]}" >"$log" 2>&1 || status=$?
  if [ "$status" != 0 ]; then
    [ "$status" != 4 ] || return 0 # no sources
    line "$1" "$2" refused - - "$(first_error "$log")"
    return 1
  fi
  "$torchpatch" recipe "$out" --kind sysroot --root "$system" --output "$recipe" --quiet >>"$log" 2>&1
  lend_root "$work" "$out/torchpatch/manifest.json"
  began=$SECONDS
  # Old releases name older Pythons and compilers than those of Debian 11, which configure them all the same.
  sh "$recipe/run.sh" "$out" "$work" --skip python --skip gcc torch:configure >>"$log" 2>&1 || status=$?
  keep_root "$work"
  if [ "$status" != 0 ]; then
    line "$1" "$2" FAILED - "$((SECONDS - began))" "$(first_error "$log")"
    return 1
  fi
  local steps remarks result=ok
  steps=$(ninja -C "$work/tree/pytorch/build" -t commands install 2>/dev/null | wc -l)
  remarks=$(python3 "$checkout/tests/builds/compare_summary.py" "$out/torchpatch/manifest.json" "$log" 2>&1) || result=DIFFERS
  line "$1" "$2" "$result" "$steps" "$((SECONDS - began))" "$remarks"
  rm -rf "$place"
  [ "$result" = ok ]
}

mkdir -p "$builds/logs"
line release arch result steps secs remarks
failures=0
for name in "${names[@]}"; do
  arches=${name#*/}
  [ "$arches" != "$name" ] || arches='aarch64 armv7l'
  for arch in $arches; do build "${name%/*}" "$arch" || failures=$((failures + 1)); done
done
[ "$failures" = 0 ]
