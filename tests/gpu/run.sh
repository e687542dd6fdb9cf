#!/usr/bin/env bash
# Launches kernels of 1.8.1, with and without the patches, on whatever NVIDIA GPU this machine has, and compares what they compute:
# docs/kernels.md. Takes minutes, most of them for compiling; never part of the gate. Prints what it could not run.
#
#   tests/gpu/run.sh [DIRECTORY]
#
# DIRECTORY has PTX that `tests/builds/kernels.sh --ptx` made, maybe elsewhere; without it that is done first, as root, with
# TORCHPATCH, TORCHPATCH_MIRROR and BUILDS (see there). Needs the driver (libcuda.so.1) and python3, no CUDA. Exit code 1 if something
# came out wrong, 2 if nothing could be run.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
not_run() {
  echo "gpu: not run: $*" >&2
  exit 2
}

python3 "$here/launch.py" --look || not_run "no NVIDIA GPU that a driver answers for"
directory=${1:-}
if [ -z "$directory" ]; then
  command -v nvcc-11.2 >/dev/null || not_run "no nvcc-11.2: tools/setup-cuda makes it, or pass a directory with PTX"
  for side in '' --patched; do
    # shellcheck disable=SC2086  # one word or none
    "$here/../builds/kernels.sh" --ptx $side --file LossCTC --file AveragePool2d 1.8.1/62
  done
  directory=${BUILDS:?}/kernels
fi
python3 "$here/launch.py" "$directory/1.8.1/compute_62" "$directory/1.8.1-patched/compute_62"
