#!/usr/bin/env bash
# Compiles CUDA kernels of real PyTorch releases for the GPUs of Jetson boards, and prints what each needs and how large a block
# it can be launched with, where a block has 32768 registers, or from sm_70 on 65536: docs/kernels.md. As root, with TORCHPATCH, TORCHPATCH_MIRROR (a
# folder of copies of PyTorch's repositories) and BUILDS, a directory for the trees. Needs nvcc-11.2 (tools/setup-cuda), and for
# sm_87 nvcc-11.8; no GPU.
#
#   tests/builds/kernels.sh [--patched] [--ptx] [--file NAME]… [RELEASE/ARCHITECTURE…]
#
# --patched: the tree as prepare gives it, instead of the pinned one. --file: only these files, such as LossCTC. Writes
# RELEASE-sm_ARCHITECTURE[-patched].tsv into BUILDS/kernels. --ptx: only RELEASE[-patched]/compute_ARCHITECTURE/NAME.ptx, for
# tests/gpu/run.sh. What is compiled already is not compiled again. Exit code 1 where nvcc refused a file.
set -euo pipefail

checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
torchpatch=$(readlink -e -- "${TORCHPATCH:?set TORCHPATCH to the program under test}")
mirror=$(readlink -e -- "${TORCHPATCH_MIRROR:?set TORCHPATCH_MIRROR to a folder with copies of the repositories}")
mkdir -p "${BUILDS:?set BUILDS to a directory with room for 5 GB}/kernels"
kernels=$(cd "$BUILDS/kernels" && pwd)

side='' kind=cubin names=() wanted=()
while [ "$#" -gt 0 ]; do
  case $1 in
    --patched) side=-patched ;;
    --ptx) kind=ptx ;;
    --file) wanted+=("$2"); shift ;;
    *) names+=("$1") ;;
  esac
  shift
done
[ "${#names[@]}" -gt 0 ] || names=({1.0.1,1.1.0,1.2.0,1.5.1,1.8.1,1.10.2,1.12.1}/62 1.1.0/53 1.8.1/53)

# Below aten/src/: what the issues about threads and registers name. A release has some of them.
files=(ATen/native/cuda/{LossCTC,EmbeddingBag,UpSampleBicubic2d,UpSampleBilinear2d,UpSampleLinear1d,UpSampleNearest{1,2,3}d}.cu
  ATen/native/cuda/{UpSampleTrilinear3d,AveragePool{2,3}d,DepthwiseConv2d,Adaptive{AveragePooling,AveragePooling3d}}.cu
  ATen/native/cuda/{AdaptiveMaxPooling{2,3}d,SoftMax,Embedding,EmbeddingBackwardKernel,GridSampler,SortingKthValue,Sorting}.cu
  ATen/native/cuda/{MultiLabelMarginCriterion,TensorModeKernel,TensorTopK,Sort}.cu
  THCUNN/{SpatialAveragePooling,VolumetricAveragePooling,SpatialDepthwiseConvolution,SpatialUpSampling{Bicubic,Bilinear,Nearest}}.cu
  THCUNN/{TemporalUpSampling{Linear,Nearest},VolumetricUpSampling{Nearest,Trilinear},MultiLabelMarginCriterion,LookupTable}.cu
  THCUNN/{SpatialSubSampling,TemporalMaxPooling,VolumetricAdaptiveAveragePooling}.cu
  THC/{generated/THCTensorSort{Float,Long},generated/THCTensorTopKFloat,THCTensorTopK,THCTensorMode}.cu)

is_wanted() { # FILE
  local name
  [ "${#wanted[@]}" = 0 ] && return
  for name in "${wanted[@]}"; do [ "$(basename "$1" .cu)" != "$name" ] || return 0; done
  return 1
}

make_tree() { # RELEASE DIRECTORY
  [ -d "$2/headers/aten" ] && return
  rm -rf "$2"
  mkdir -p "$2/work"
  # shellcheck disable=SC2046  # words
  "$torchpatch" prepare --version "$1" --board tx2 --component torch --force --allow-partial $([ -n "$side" ] || echo --unpatched) \
    --mirror "$mirror" --output "$2/tree" --quiet >/dev/null
  python3 "$checkout/patchsets/cuda-launch-bounds/proof/headers.py" "$2/tree/pytorch" "$2/headers"
}

# As CMake calls nvcc, with nothing of the host's part: it has no say in registers.
compile() { # DIRECTORY ARCHITECTURE FILE OUTPUT
  local tree=$1/tree/pytorch headers=$1/headers nvcc="nvcc-11.2" standard=c++14 architecture=sm_$2 folder includes=()
  [ "$2" -lt 87 ] || nvcc="nvcc-11.8"
  case ${1##*/} in 2.*) standard=c++17 ;; esac
  [ "$kind" = cubin ] || architecture=compute_$2
  for folder in aten/src . aten/src/TH aten/src/THC; do includes+=("-I$headers/$folder" "-I$tree/$folder"); done
  (cd "$1/work" && "$nvcc" "-$kind" "-arch=$architecture" "-std=$standard" -O3 -DNDEBUG -w --expt-relaxed-constexpr --expt-extended-lambda \
    -D__CUDA_NO_HALF_OPERATORS__ -D__CUDA_NO_HALF_CONVERSIONS__ -D__CUDA_NO_HALF2_OPERATORS__ -DCUDA_HAS_FP16=1 -D_THP_CORE \
    "${includes[@]}" "-I$tree/aten/src/THCUNN" "$tree/aten/src/$3" -o "$4")
}

print_kernels() { # ARCHITECTURE CUBIN…
  local registers=32768
  [ "$1" -lt 70 ] || registers=65536
  shift
  PYTHONPATH=$checkout/patchsets/cuda-launch-bounds/proof python3 -B -c '
import sys, kernels
kernels.REGISTERS_PER_BLOCK = int(sys.argv.pop(1))
kernels.main()' "$registers" "$@"
}

failed=0
for name in "${names[@]}"; do
  release=${name%/*} architecture=${name#*/}
  directory=$kernels/$release$side
  make_tree "$release" "$directory"
  folder=$directory/sm_$architecture
  [ "$kind" = cubin ] || folder=$directory/compute_$architecture
  mkdir -p "$folder"
  cubins=()
  for file in "${files[@]}"; do
    [ -e "$directory/tree/pytorch/aten/src/$file" ] || continue
    is_wanted "$file" || continue
    cubin=$folder/$(basename "$file" .cu).$kind
    if [ ! -e "$cubin" ] && ! compile "$directory" "$architecture" "$file" "$cubin" >"$cubin.log" 2>&1; then
      echo "kernels: nvcc refuses $file of $release for sm_$architecture: see $cubin.log" >&2
      failed=1
    else
      cubins+=("$cubin")
    fi
  done
  [ "$kind" = cubin ] || continue
  print_kernels "$architecture" "${cubins[@]}" | sed "s/^/$release\t/" | tee "$kernels/$release-sm_$architecture$side.tsv"
done
exit "$failed"
