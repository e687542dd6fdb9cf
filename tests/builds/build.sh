#!/usr/bin/env bash
# Builds real PyTorch releases for ARM with generated recipes, and executes what came out. As root, with TORCHPATCH,
# TORCHPATCH_MIRROR (a folder of copies of PyTorch's repositories), BUILDS (a directory that keeps trees, roots and the
# compiler cache; 30 GB per build) and qemu registered. docs/builds.md has the results.
#
#   tests/builds/build.sh NAME…
#
# wheels-1.8.1-aarch64   torch and torchvision by the sysroot recipe, installed and run in a root of Debian 11
# wheels-1.8.1-armv7l    the same for the 32-bit image, with MPI
# wheels-1.10.2-aarch64  torch alone, where complex dot products of cross builds began to be wrong, and its numbers
# wheels-2.1.2-aarch64   torch by the sysroot recipe, in a root of Debian 12, and the training of the Zynq back end's proof
# container-1.1.0-x86_64 torch and torchvision in a container of Ubuntu 18.04 for PCs, and their import in its last stage
# libtorch-1.5.1-aarch64 libtorch by the sysroot recipe, and a program with convolutions and QNNPACK; then the same without
#                        the fix of QNNPACK's assembly, which has to stop there
# cuda-1.8.1-tx2         torch with CUDA 11.2 of Debian for sm_62 by the sysroot recipe, configured, and two of its CUDA sources
#                        compiled; nothing is linked
# cuda-2.1.2-orin-nano   the same with CUDA 11.8 for sm_87
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
torchpatch=$(readlink -e -- "${TORCHPATCH:?set TORCHPATCH to the program under test}")
mirror=$(readlink -e -- "${TORCHPATCH_MIRROR:?set TORCHPATCH_MIRROR to a folder with copies of the repositories}")
mkdir -p "${BUILDS:?set BUILDS to a directory with room for 30 GB a build}/ccache"
builds=$(cd "$BUILDS" && pwd)

# Prepares a tree and writes its recipe; what already exists is gone on with.
make_recipe() { # NAME RECIPE-OPTION… -- PREPARE-OPTION…
  local place=$builds/$1 options=()
  shift
  while [ "$1" != -- ]; do
    options+=("$1")
    shift
  done
  shift
  mkdir -p "$place"
  [ -d "$place/out" ] || "$torchpatch" prepare "$@" --mirror "$mirror" --output "$place/out" --quiet
  [ -d "$place/recipe" ] || "$torchpatch" recipe "$place/out" "${options[@]}" --output "$place/recipe" --quiet
}

run_recipe() { # NAME OPTION…
  local place=$builds/$1
  shift
  sh "$place/recipe/run.sh" "$place/out" "$place/made" --ccache "$builds/ccache" "$@"
}

wheels_1_8_1_aarch64() {
  make_recipe "$1" --kind sysroot -- --version 1.8.1 --board rpi4 --image debian-11 --component torch --component vision \
    --set cross=true --set BUILD_CAFFE2_OPS=0
  run_recipe "$1"
  "$here/wheels.sh" arm64 bullseye "$builds/$1/made/dist"
}

# Debian 11 stands in for Raspberry Pi OS of that generation.
wheels_1_8_1_armv7l() {
  make_recipe "$1" --kind sysroot --root debian-11 -- --version 1.8.1 --board rpi4 --image raspios-11-32 --component torch \
    --component vision --set cross=true --set BUILD_CAFFE2_OPS=0
  run_recipe "$1"
  "$here/wheels.sh" armhf bullseye "$builds/$1/made/dist"
}

wheels_1_10_2_aarch64() {
  make_recipe "$1" --kind sysroot -- --version 1.10.2 --board rpi4 --image debian-11 --component torch --allow-partial \
    --set cross=true --set BUILD_CAFFE2_OPS=0
  run_recipe "$1"
  "$here/wheels.sh" arm64 bullseye "$builds/$1/made/dist"
  "$here/numerics.sh" "$builds/roots/arm64-bullseye" "$builds/$1/out"
}

# Debian 12 stands in for Ubuntu 22.04 of PYNQ 3.1. Left out for time: distributed, XNNPACK (3,000 small files), Kineto, and
# -O3 for what is no kernel.
wheels_2_1_2_aarch64() {
  make_recipe "$1" --kind sysroot --root debian-12 -- --version 2.1.2 --board zcu104 --image pynq-3.1 --component torch \
    --allow-partial --set cross=true --set os=debian-12 --set gcc=12.2.0 --set glibc=2.36 --set cmake=3.25.1 --set python=3.11 \
    --set USE_DISTRIBUTED=0 --set USE_XNNPACK=0 --set USE_KINETO=0 --set 'CMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG'
  run_recipe "$1"
  "$here/wheels.sh" arm64 bookworm "$builds/$1/made/dist" alone
  "$here/zynq.sh" "$builds/roots/arm64-bookworm" "$builds/$1/out"
}

# Debian 11 stands in for Ubuntu 20.04 of PYNQ 2.7: its Python is newer than those that 1.5.1 names.
prepare_1_5_1() { # NAME OPTION…
  local name=$1
  shift
  make_recipe "$name" --kind sysroot --root debian-11 -- --version 1.5.1 --board zcu104 --image pynq-2.7 --component torch \
    --set cross=true --set os=debian-11 --set gcc=10.2.1 --set glibc=2.31 --set cmake=3.18.4 --set python=3.9 --force \
    --set BUILD_CAFFE2_OPS=0 "$@"
}

libtorch_1_5_1_aarch64() {
  prepare_1_5_1 "$1"
  run_recipe "$1" torch:build --skip python
  "$here/program.sh" "$builds/$1/made"
  prepare_1_5_1 "$1-unfixed" --without qnnpack-vector-moves
  if run_recipe "$1-unfixed" torch:build --skip python >"$builds/$1-unfixed/log" 2>&1; then
    echo "build.sh: error: without the fix the build was to stop" >&2
    return 1
  fi
  grep -m 1 -A 2 '8x8-dq-aarch64-neon.S: Assembler messages' "$builds/$1-unfixed/log"
}

# Configures, compares with the plan, counts the steps, and compiles some CUDA sources. Debian has no cuDNN.
configure_cuda() { # NAME CUDA CAPABILITY PREPARE-OPTION…
  local name=$1 cuda=$2 capability=$3 place=$builds/$1
  shift 3
  make_recipe "$name" --kind sysroot --cuda "$cuda" -- --component torch --allow-partial --set cross=true --set "cuda=${cuda#*-}" \
    --set USE_CUDNN=0 "$@"
  run_recipe "$name" torch:configure
  python3 "$here/compare_summary.py" "$place/out/torchpatch/manifest.json" "$place/made/dist/torch.log"
  echo "$(ninja -C "$place/made/tree/pytorch/build" -t commands install | wc -l) steps," \
    "$(ninja -C "$place/made/tree/pytorch/build" -t commands install | grep -o '[A-Za-z0-9_]*\.cu\.o' | sort -u | wc -l) with CUDA"
  "$here/cuda.sh" "$place/recipe" "$place/made" "$capability" AveragePool2d UpSampleBilinear2d
}

# Debian 11 stands in for JetPack, which has Ubuntu 18.04 and CUDA 10.2.
cuda_1_8_1_tx2() {
  configure_cuda "$1" debian-11.2 6.2 --version 1.8.1 --board tx2 --set os=debian-11 --set gcc=10.2.1 --set glibc=2.31 \
    --set cmake=3.18.4 --set python=3.9 --set BUILD_CAFFE2_OPS=0
}

cuda_2_1_2_orin_nano() {
  configure_cuda "$1" debian-11.8 8.7 --version 2.1.2 --board orin-nano --set os=debian-12 --set gcc=12.2.0 --set glibc=2.36 \
    --set cmake=3.25.1 --set python=3.11 --set USE_FLASH_ATTENTION=0
}

# A root of Ubuntu 18.04 becomes the base image; Debian 12 has no package with the keys, Debian 13 has (ubuntu-keyring).
import_ubuntu() {
  local keys=${UBUNTU_KEYS:-/usr/share/keyrings/ubuntu-archive-keyring.gpg} root=$builds/roots/amd64-bionic server=http://archive.ubuntu.com/ubuntu
  if buildah images --quiet localhost/ubuntu:bionic >/dev/null 2>&1; then return 0; fi
  mkdir -p "$builds/roots"
  debootstrap --variant=minbase --arch=amd64 --keyring="$keys" bionic "$root" "$server" >"$root.log" 2>&1
  echo "deb $server bionic main universe" >"$root/etc/apt/sources.list"
  local container
  container=$(buildah from scratch)
  buildah copy --quiet "$container" "$root" / >/dev/null
  buildah commit --quiet "$container" localhost/ubuntu:bionic >/dev/null
  buildah rm "$container" >/dev/null
}

# Without FBGEMM, which downloads asmjit in this release, oneDNN and Caffe2's operators.
container_1_1_0_x86_64() {
  export BUILDAH_ISOLATION=chroot
  import_ubuntu
  make_recipe "$1" --kind container -- --version 1.1.0 --board neoverse-n1 --image ubuntu-18.04 --component torch \
    --component vision --set arch=x86_64 --set USE_FBGEMM=0 --set USE_MKLDNN=0 --set BUILD_CAFFE2_OPS=0
  sh "$builds/$1/recipe/run.sh" "$builds/$1/out" "$builds/$1/made" --engine buildah --base localhost/ubuntu:bionic
}

for name in "$@"; do
  case $name in
    wheels-1.8.1-aarch64 | wheels-1.8.1-armv7l | wheels-1.10.2-aarch64 | wheels-2.1.2-aarch64 | libtorch-1.5.1-aarch64 | container-1.1.0-x86_64 | cuda-1.8.1-tx2 | cuda-2.1.2-orin-nano) ;;
    *)
      echo "build.sh: error: there is no build '$name'" >&2
      exit 2
      ;;
  esac
  echo "== $name"
  "$(echo "$name" | tr .- __)" "$name"
done
