#!/usr/bin/env bash
# Installs wheels in a root of the board's system, computes with them there, emulated, and compares with the torch of this
# machine (Debian's python3-torch and python3-torchvision). As root, with qemu registered and BUILDS, a directory that
# keeps the root.
#
#   tests/builds/wheels.sh arm64|armhf SUITE DIST [alone]
#
# "alone" leaves out what takes two processes, for a torch without torch.distributed.
# Prints how many results were compared and which differ; exit code 1 where some do. The root is BUILDS/roots/ARCH-SUITE,
# what is installed lies in its /wheels: PYTHONPATH=/wheels runs further tests there.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
arch=$1 suite=$2 dist=$(readlink -e -- "$3")
mkdir -p "${BUILDS:?set BUILDS to a directory with room for a root}/roots"
root=$(cd "$BUILDS" && pwd)/roots/$arch-$suite

if [ ! -d "$root" ]; then
  packages=python3,python3-pip,python3-numpy,python3-typing-extensions,python3-pil,python3-hypothesis,python3-yaml,libopenblas0
  packages+=,libgomp1,libatomic1,libjpeg62-turbo,libpng16-16,openmpi-bin
  # From 2.0 on torch cannot be imported without these.
  [ "$suite" = bullseye ] || packages+=,python3-filelock,python3-fsspec,python3-jinja2,python3-networkx,python3-sympy
  debootstrap --variant=minbase --arch="$arch" --include="$packages" "$suite" "$root.part" >"$root.log" 2>&1
  mv "$root.part" "$root"
fi
rm -rf "${root:?}/wheels" "$root/tests"
mkdir "$root/wheels" "$root/tests"
cp "$dist"/*.whl "$here"/computes.py "$root/tests/"
# gloo is for 64 bits alone (known_issues/distributed-32bit-gloo.md).
parts=(--processes gloo)
[ "$arch" = arm64 ] || parts=(--processes mpi)
[ "${4:-}" != alone ] || parts=()
if compgen -G "$dist/torchvision-*.whl" >/dev/null; then parts+=(--vision); fi

# A namespace for what is mounted, and one with nothing but a loopback for gloo. What computes on 32 bits lies in memory, as
# ext4's offsets of 64 bits stop its readdir under qemu (and Open MPI finds no plugin).
# shellcheck disable=SC2016  # expanded in there
unshare --mount --net bash -euc '
  root=$0
  ip link set lo up
  furnish() {
    mount -t proc proc "$root/proc"
    mount -t sysfs -o ro sysfs "$root/sys"
    mount -t tmpfs tmpfs "$root/dev/shm"
  }
  inside() { chroot "$root" /usr/bin/env -i PATH=/usr/bin:/bin LC_ALL=C HOME=/root PYTHONPATH=/wheels GLOO_SOCKET_IFNAME=lo "$@"; }
  furnish
  inside sh -c "pip3 install --quiet --no-index --no-deps --target /wheels /tests/*.whl"
  if [ "$1" = armhf ]; then
    mount -t tmpfs tmpfs /mnt
    cp -ax "$root/." /mnt
    root=/mnt
    furnish
  fi
  shift
  cd / && inside python3 /tests/computes.py "$@"' "$root" "$arch" "${parts[@]}" >"$root/tests/values.json"
/usr/bin/python3 "$here/computes.py" "${parts[@]/mpi/gloo}" >"$root/tests/reference.json"
python3 "$here/compare_values.py" "$root/tests/values.json" "$root/tests/reference.json"
