#!/usr/bin/env bash
# Runs the training of zynq-backend's proof and the back end's own tests in a torch that was built from a prepared tree,
# emulated. As root, with qemu registered; wheels.sh has installed the torch in ROOT/wheels before.
#
#   tests/builds/zynq.sh ROOT OUT
#
# Exit code 1 where something fails.
set -euo pipefail

root=$(readlink -e -- "$1") out=$(readlink -e -- "$2")
patchset=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../patchsets/zynq-backend" && pwd)
place=$root/tests/zynq
rm -rf "$place"
mkdir -p "$place/tree"
cp -r "$out/pytorch/zynq" "$place/tree/"
cp -r "$patchset/proof/train.py" "$patchset/tests" "$place/"

# The device's C++ is in this torch: train.py gets no tree to compile it from.
# shellcheck disable=SC2016  # expanded in there
unshare --mount --net bash -euc '
  mount -t proc proc "$0/proc"
  cd /
  exec chroot "$0" /usr/bin/env -i PATH=/usr/bin:/bin LC_ALL=C HOME=/root PYTHONPATH=/wheels:/tests/zynq/tree/zynq sh -euc "
    cd /tests/zynq
    python3 -c \"import runpy, torch_zynq; runpy.run_path(\\\"train.py\\\")\" no-tree
    python3 tests/run_tests.py tree"' "$root"
