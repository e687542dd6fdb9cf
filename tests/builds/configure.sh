#!/usr/bin/env bash
# Configures real PyTorch releases for ARM by the sysroot recipe, without a network, and compares CMake's summary with the
# plan. As root, with TORCHPATCH, TORCHPATCH_MIRROR (a folder of copies of PyTorch's repositories) and BUILDS, a directory
# that keeps the root of the builder and the logs.
#
#   tests/builds/configure.sh [RELEASE[/ARCH]…] [--each-fix] [-- OPTION OF prepare…]
#
# Without a name: all releases whose sources are there, for both architectures. --each-fix: not the plan itself, but the
# plan with each of the fixes alone that are used only where --with asks for them. Prints a line for each build; exit
# code 1 where one failed.
set -euo pipefail

checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
torchpatch=$(readlink -e -- "${TORCHPATCH:?set TORCHPATCH to the program under test}")
mirror=$(readlink -e -- "${TORCHPATCH_MIRROR:?set TORCHPATCH_MIRROR to a folder with copies of the repositories}")
mkdir -p "${BUILDS:?set BUILDS to a directory with room for 10 GB}"
builds=$(cd "$BUILDS" && pwd)

names=() each_fix=
while [ "$#" -gt 0 ] && [ "$1" != -- ]; do
  if [ "$1" = --each-fix ]; then each_fix=1; else names+=("$1"); fi
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

plan_options() { # RELEASE ARCH
  # shellcheck disable=SC2046  # words
  echo --version "$1" --board rpi4 $(options_of "$2") --set cross=true --component torch --force
}

fixes_to_ask_for() { # RELEASE ARCH
  # shellcheck disable=SC2046  # words
  python3 "$checkout/tests/builds/optional_fixes.py" "$torchpatch" $(plan_options "$1" "$2")
}

line() { printf '%-8s %-28s %-8s %6s %5s  %s\n' "$@"; }

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

build() { # RELEASE ARCH [FIX]
  local place=$builds/$1-$2 name=$2${3:+ --with $3} status=0 began
  local log=$builds/logs/$1-$2${3:+-$3}.log
  local out=$place/out work=$place/work recipe=$place/recipe
  rm -rf "$place"
  mkdir "$place"
  # shellcheck disable=SC2046  # words
  "$torchpatch" prepare $(plan_options "$1" "$2") ${3:+--with "$3"} --allow-partial --mirror "$mirror" --output "$out" --quiet \
    "${options[@]}" >"$log" 2>&1 || status=$?
  if [ "$status" != 0 ]; then
    [ "$status" != 4 ] || return 0 # no sources
    line "$1" "$name" refused - - "$(first_error "$log")"
    return 1
  fi
  "$torchpatch" recipe "$out" --kind sysroot --root "$system" --output "$recipe" --quiet >>"$log" 2>&1
  lend_root "$work" "$out/torchpatch/manifest.json"
  began=$SECONDS
  # Old releases name older Pythons and compilers than those of Debian 11, which configure them all the same.
  sh "$recipe/run.sh" "$out" "$work" --skip python --skip gcc torch:configure >>"$log" 2>&1 || status=$?
  keep_root "$work"
  if [ -n "${3:-}" ] && grep -q 'this host is refused' "$log"; then
    line "$1" "$name" refused - - "$(first_error "$log")" # a library that the fix needs and this root has not
    return 0
  fi
  if [ "$status" != 0 ]; then
    line "$1" "$name" FAILED - "$((SECONDS - began))" "$(first_error "$log")"
    return 1
  fi
  local steps remarks result=ok
  steps=$(ninja -C "$work/tree/pytorch/build" -t commands install 2>/dev/null | wc -l)
  remarks=$(python3 "$checkout/tests/builds/compare_summary.py" "$out/torchpatch/manifest.json" "$log" 2>&1) || result=DIFFERS
  line "$1" "$name" "$result" "$steps" "$((SECONDS - began))" "$remarks"
  rm -rf "$place"
  [ "$result" = ok ]
}

mkdir -p "$builds/logs"
line release arch result steps secs remarks
failures=0
for name in "${names[@]}"; do
  arches=${name#*/}
  [ "$arches" != "$name" ] || arches='aarch64 armv7l'
  for arch in $arches; do
    if [ -z "$each_fix" ]; then
      build "${name%/*}" "$arch" || failures=$((failures + 1))
      continue
    fi
    for fix in $(fixes_to_ask_for "${name%/*}" "$arch"); do
      build "${name%/*}" "$arch" "$fix" || failures=$((failures + 1))
    done
  done
done
[ "$failures" = 0 ]
