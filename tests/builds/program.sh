#!/usr/bin/env bash
# Compiles qnnpack.cpp against the torch that the sysroot recipe built in WORK, runs it emulated, several times for its end,
# and compares its values with those of this machine's libtorch (Debian's libtorch-dev). As root.
#
#   tests/builds/program.sh WORK
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(readlink -e -- "$1")
root=$work/root triplet=aarch64-linux-gnu runs=20
torch=/tree/pytorch/torch
cp "$here/qnnpack.cpp" "$work/tree/"

# shellcheck disable=SC2016  # expanded in there
unshare --mount bash -euc '
  mount --bind "$1/tree" "$0/tree"
  mount -t proc proc "$0/proc"
  mount -t sysfs -o ro sysfs "$0/sys"
  inside() { chroot "$0" /usr/bin/env -i PATH=/usr/bin:/bin LC_ALL=C "$@"; }
  inside "$2-g++" -O1 -std=c++14 -I$3/include -I$3/include/torch/csrc/api/include /tree/qnnpack.cpp -o /tree/qnnpack \
    -L$3/lib "-Wl,-rpath,$3/lib" -ltorch -ltorch_cpu -lc10 -Wl,--no-as-needed -ltorch
  crashes=0
  for run in $(seq "$4"); do
    inside qemu-aarch64-static /tree/qnnpack >"$1/values.json" 2>"$1/program.log" || crashes=$((crashes + 1))
  done
  echo "$crashes of $4 runs ended with a crash"' "$root" "$work" "$triplet" "$torch" "$runs"
g++ -O1 -std=c++17 -I/usr/include/torch/csrc/api/include "$here/qnnpack.cpp" -o "$work/qnnpack-here" -ltorch -ltorch_cpu -lc10
"$work/qnnpack-here" >"$work/reference.json"
python3 "$here/compare_values.py" "$work/values.json" "$work/reference.json"
