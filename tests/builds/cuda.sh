#!/usr/bin/env bash
# Compiles CUDA sources of torch as the sysroot recipe does, in a WORK where torch:configure has run, and says for which GPUs the
# objects hold code. As root.
#
#   tests/builds/cuda.sh RECIPE WORK CAPABILITY SOURCE…     cuda.sh recipe made 6.2 AveragePool2d
#
# Exit code 1 if an object holds anything but a cubin for that compute capability, or is not for the board's CPU.
set -euo pipefail

recipe=$(readlink -e -- "$1") work=$(readlink -e -- "$2") architecture=sm_${3//./}
shift 3
# A namespace of its own: the root's mounts end with it. The variables are those of cross.sh.
# shellcheck disable=SC2016  # expanded in there
unshare --mount --net bash -euc '
  recipe=$0 work=$1 architecture=$2
  shift 2
  mkdir -p "$work/root/tree" "$work/root/recipe"
  mount --bind "$work/tree" "$work/root/tree"
  mount --bind "$recipe" "$work/root/recipe"
  mount -t proc proc "$work/root/proc"
  mount -t tmpfs tmpfs "$work/root/dev"
  : >"$work/root/dev/null"
  mount --bind /dev/null "$work/root/dev/null"
  inside() { chroot "$work/root" /usr/bin/env -i PATH=/recipe/bin:/usr/bin:/bin LC_ALL=C HOME=/root "$@"; }
  commands() { inside ninja -C /tree/pytorch/build -t commands "$1"; }
  build() { inside sh -ec "cd /tree/pytorch/build && $1"; }
  build "$(commands caffe2/ATEN_CUDA_FILES_GEN_TARGET)" >"$work/cuda.log" 2>&1
  for source in "$@"; do
    object=$(inside ninja -C /tree/pytorch/build -t targets all | sed -n -E "s|^([^: ]*/(torch_cuda_generated_)?$source\.cu\.o): .*|\1|p" | head -n 1)
    began=$SECONDS
    build "$(commands "$object" | tail -n 1)" >>"$work/cuda.log" 2>&1
    seconds=$((SECONDS - began))
    machine=$(inside readelf -h "/tree/pytorch/build/$object" | sed -n "s/^ *Machine: *//p")
    code=$(inside sh -c "cuobjdump --list-elf --list-ptx /tree/pytorch/build/$object 2>/dev/null" | sed -n -E "s/^(ELF|PTX) file.*\.(sm_[0-9]+)\..*/\1 \2/p" | sort -u | paste -s -d , -)
    echo "$source: $machine, $code, $seconds s"
    [ "$machine" = AArch64 ] && [ "$code" = "ELF $architecture" ]
  done' "$recipe" "$work" "$architecture" "$@"
