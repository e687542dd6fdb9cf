#!/usr/bin/env bash
# Computes with the torch that wheels.sh installed in a root, emulated with the core of a Raspberry Pi 4, by the script of the prepared
# tree OUT. Prints what numerics.py prints; its reports are OUT.numerics.json and .html.
#
#   tests/builds/numerics.sh ROOT OUT [NAME…]
set -euo pipefail

root=$(readlink -e -- "$1") out=$(readlink -e -- "$2")
shift 2
rm -rf "${root:?}/numerics"
mkdir "$root/numerics"
cp "$out"/torchpatch/numerics.{py,txt} "$root/numerics/"
status=0
# shellcheck disable=SC2016  # expanded in there
unshare --mount --net bash -euc '
  root=$0
  ip link set lo up
  mount -t proc proc "$root/proc"
  mount -t sysfs -o ro sysfs "$root/sys"
  mount -t tmpfs tmpfs "$root/dev/shm"
  chroot "$root" /usr/bin/env -i PATH=/usr/bin:/bin LC_ALL=C HOME=/root PYTHONPATH=/wheels QEMU_CPU=${QEMU_CPU:-cortex-a72} \
    python3 /numerics/numerics.py --json /numerics/report.json --html /numerics/report.html "$@"' "$root" "$@" || status=$?
for kind in json html; do cp "$root/numerics/report.$kind" "$out.numerics.$kind"; done
exit "$status"
