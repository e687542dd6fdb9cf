#!/usr/bin/env bash
# Configures real PyTorch releases for ARM by the sysroot recipe, without a network, and compares CMake's summary with the
# plan. As root, with TORCHPATCH, TORCHPATCH_MIRROR (a folder of copies of PyTorch's repositories) and BUILDS, a directory
# that keeps the root of the builder and the logs.
#
#   tests/builds/configure.sh [RELEASE[/ARCH]…] [--each-fix | --compare | --touched] [-- OPTION OF prepare…]
#
# Without a name: all releases whose sources are there, for both architectures. --each-fix: not the plan itself, but the
# plan with each of the fixes alone that are used only where --with asks for them. --compare: configures the same release
# a second time without a cross compiler, in a root of the board's system, emulated, whose /proc/cpuinfo is the board's,
# and compares what both decided (compare_configures.py); qemu has to be registered. For armv7l, BUILDS has to
# be in memory (tmpfs): under qemu, 32-bit programs cannot read directories of ext4. --touched: then compiles each file that a
# patch touches, and three that include a touched header (touched.py), from 1.1.0 on; for armv7l only what patches of that plan
# alone touch. Prints a line for each build; exit code 1 if one failed.
set -euo pipefail

checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
torchpatch=$(readlink -e -- "${TORCHPATCH:?set TORCHPATCH to the program under test}")
mirror=$(readlink -e -- "${TORCHPATCH_MIRROR:?set TORCHPATCH_MIRROR to a folder with copies of the repositories}")
mkdir -p "${BUILDS:?set BUILDS to a directory with room for 10 GB}"
builds=$(cd "$BUILDS" && pwd)

names=() each_fix='' compare='' touched=''
while [ "$#" -gt 0 ] && [ "$1" != -- ]; do
  case $1 in
    --each-fix) each_fix=1 ;;
    --compare) compare=1 ;;
    --touched) touched=1 ;;
    *) names+=("$1") ;;
  esac
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
  echo --version "$1" --board rpi4 $(options_of "$2") --component torch --force
}

# CMake notes each command that it carries out.
trace() { # CMAKE
  sed -i 's|^exec /usr/bin/cmake|& --trace-expand --trace-format=json-v1 --trace-redirect=/tree/trace.json|' "$1"
}

# What a configure decided: CMake's cache, the commands, the trace, and each header that it wrote.
keep_decisions() { # TREE PLACE
  mkdir -p "$2/headers"
  (cd "$1/pytorch" && find build aten/src/ATen/{,cuda/CUDA}Config.h -name '*.h' -print0 | tar -c --null -T -) | tar -x -C "$2/headers"
  cp "$1/pytorch/build/CMakeCache.txt" "$1/pytorch/build/compile_commands.json" "$1/trace.json" "$2/"
}

# /proc/cpuinfo of a Raspberry Pi 4, four times a Cortex-A72, as its 64-bit and 32-bit systems show it.
cpuinfo() { # ARCH
  local core
  for core in 0 1 2 3; do
    case $1 in
      aarch64) printf 'processor\t: %s\nBogoMIPS\t: 108.00\nFeatures\t: fp asimd evtstrm crc32 cpuid\n' "$core" ;;
      armv7l) printf 'processor\t: %s\nmodel name\t: ARMv7 Processor rev 3 (v7l)\nBogoMIPS\t: 108.00\nFeatures\t: %s\n' "$core" \
        'half thumb fastmult vfp edsp neon vfpv3 tls vfpv4 idiva idivt vfpd32 lpae evtstrm crc32' ;;
    esac
    printf 'CPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x0\nCPU part\t: 0xd08\nCPU revision\t: 3\n\n'
  done
}

# Makes the board's root, and configures in it as on the board.
configure_on_board() { # TREE ARCH
  local root=$builds/native-$2 arch=arm64 packages=ca-certificates,gcc,g++,make,cmake,ninja-build,python3,python3-dev
  packages+=,python3-setuptools,python3-wheel,python3-yaml,python3-numpy,python3-typing-extensions,libopenblas-dev,libgomp1,libatomic1
  [ "$2" = aarch64 ] || arch=armhf packages+=,libopenmpi-dev
  if [ ! -d "$root" ]; then
    debootstrap --variant=minbase --arch="$arch" --include="$packages" bullseye "$root.part" >"$root.log" 2>&1
    mv "$root.part" "$root"
  fi
  cpuinfo "$2" >"$1/cpuinfo"
  mkdir -p "$1/bin"
  sed 's/ -DCMAKE_TOOLCHAIN_FILE=[^ ]*//' "$checkout/src/record/recipe/cmake.sh" >"$1/bin/cmake"
  chmod +x "$1/bin/cmake"
  trace "$1/bin/cmake"
  # In a namespace of its own, so that nothing stays mounted. The words are build.sh's.
  # shellcheck disable=SC2016  # expanded in there
  unshare --mount --net bash -euc '
    root=$0
    mkdir -p "$root/tree"
    mount --bind "$1" "$root/tree"
    mount -t proc proc "$root/proc"
    mount --bind "$1/cpuinfo" "$root/proc/cpuinfo"
    chroot "$root" /usr/bin/env -i PATH=/tree/bin:/usr/bin:/bin LC_ALL=C HOME=/root \
      sh /tree/torchpatch/build.sh --online --skip python --skip gcc --skip memory torch:configure' "$root" "$1"
}

# Prints how the two configures compare.
compare_configures() { # RELEASE ARCH WORK
  local native=$builds/$1-$2/native
  keep_decisions "$3/tree" "$builds/$1-$2/cross-decisions" || return 1
  # shellcheck disable=SC2046  # words
  "$torchpatch" prepare $(plan_options "$1" "$2") --allow-partial --mirror "$mirror" --output "$native" --quiet "${options[@]}" &&
    configure_on_board "$native" "$2" >"$builds/logs/$1-$2-native.log" 2>&1 || return 1
  keep_decisions "$native" "$builds/$1-$2/native-decisions"
  python3 "$checkout/tests/builds/compare_configures.py" "$builds/$1-$2"/{cross,native}-decisions >"$builds/logs/$1-$2-compared.txt" || return 1
  tail -n 1 "$builds/logs/$1-$2-compared.txt"
}

# Has the recipe compile what is touched where ninja would build all.
watch_ninja() { # RELEASE ARCH RECIPE
  cp "$checkout/tests/builds/touched.py" "$3/"
  # shellcheck disable=SC2016  # the script expands it
  printf '%s\n' '#!/bin/sh' 'case " $* " in *" install "*) exec python3 /recipe/touched.py ;; esac' 'exec /usr/bin/ninja "$@"' >"$3/bin/ninja"
  chmod +x "$3/bin/ninja"
  # shellcheck disable=SC2046  # words
  [ "$2" = aarch64 ] || "$torchpatch" explain $(plan_options "$1" aarch64) --set cross=true --json --quiet "${options[@]}" >"$3/aarch64.json"
}

fixes_to_ask_for() { # RELEASE ARCH
  # shellcheck disable=SC2046  # words
  python3 "$checkout/tests/builds/optional_fixes.py" "$torchpatch" $(plan_options "$1" "$2") --set cross=true
}

line() { printf '%-8s %-28s %-8s %6s %5s  %s\n' "$@"; }

# The recipe finds the root that an earlier one made; it claims WORK by its name, the digests of plan and manifest, and a mark of
# this machine and file (mark_of() in common.sh).
lend_root() { # WORK MANIFEST
  mkdir "$1"
  [ -d "$builds/root" ] || return 0
  mv "$builds/root" "$1/root"
  : >"$1/recipe"
  printf 'sysroot %s %s %s\n' "$(sed -n 's/^  "plan": "\(.*\)",$/\1/p' "$2")" "$(sha256sum <"$2" | cut -c 1-64)" \
    "$({ cat /etc/machine-id 2>/dev/null || true; stat -c %i -- "$1/recipe"; id -u; } | sha256sum | cut -c 1-64)" >"$1/recipe"
}

keep_root() { # WORK
  if [ -d "$1/root" ]; then mv "$1/root" "$builds/root"; fi
}

first_error() { # LOG
  grep -m 1 -E 'CMake Error|Could not find any of|[Ee]rror:|fatal:|Could not resolve|FAIL ' "$1" | cut -c 1-150 || tail -n 1 "$1" | cut -c 1-150
}

build() { # RELEASE ARCH [FIX]
  local place=$builds/$1-$2 name=$2${3:+ --with $3} status=0 began
  local log=$builds/logs/$1-$2${3:+-$3}.log
  local step=configure out=$place/out work=$place/work recipe=$place/recipe
  if [ -n "$touched" ] && [ "${1#1.0.}" != "$1" ]; then return 0; fi # which make and setuptools build
  keep_root "$work" # of a run that was ended
  rm -rf "$place"
  mkdir "$place"
  # shellcheck disable=SC2046  # words
  "$torchpatch" prepare $(plan_options "$1" "$2") --set cross=true ${3:+--with "$3"} --allow-partial --mirror "$mirror" --output "$out" --quiet \
    "${options[@]}" >"$log" 2>&1 || status=$?
  if [ "$status" != 0 ]; then
    [ "$status" != 4 ] || return 0 # no sources
    line "$1" "$name" refused - - "$(first_error "$log")"
    return 1
  fi
  "$torchpatch" recipe "$out" --kind sysroot --root "$system" --output "$recipe" --quiet >>"$log" 2>&1
  lend_root "$work" "$out/torchpatch/manifest.json"
  [ -z "$compare" ] || trace "$recipe/bin/cmake"
  if [ -n "$touched" ]; then watch_ninja "$1" "$2" "$recipe" && step=build; fi
  began=$SECONDS
  # Old releases name older Pythons and compilers than those of Debian 11, which configure them all the same.
  sh "$recipe/run.sh" "$out" "$work" ${touched:+--ccache "$builds/ccache"} --skip python --skip gcc "torch:$step" >>"$log" 2>&1 || status=$?
  if [ -f "$work/tree/touched.txt" ]; then
    status=0
    cp "$work/tree/touched.txt" "$builds/logs/$1-$2-touched.txt"
  fi
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
  if [ -n "$touched" ]; then
    remarks=$(tail -n 1 "$builds/logs/$1-$2-touched.txt")
    ! grep '^FAILS' -A 1 "$builds/logs/$1-$2-touched.txt" || result=FAILED
  fi
  line "$1" "$name" "$result" "$steps" "$((SECONDS - began))" "$remarks"
  if [ -n "$compare" ] && ! compare_configures "$1" "$2" "$work"; then result=DIFFERS; fi
  [ "$result" = ok ] || [ -z "$compare" ] || return 1 # what was decided is left
  rm -rf "$place"
  [ "$result" = ok ]
}

mkdir -p "$builds/logs" "$builds/ccache"
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
