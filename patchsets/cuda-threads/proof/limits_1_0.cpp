// SPDX-License-Identifier: BSD-3-Clause
// As limits.cpp, for 1.0.x, where THCGeneral.cpp keeps the device properties.
#include "aten/src/THC/THCGeneral.cpp"
#include "aten/src/ATen/cuda/detail/KernelUtils.h"
#include "aten/src/THCUNN/common.h"
#include "report.h"

int main() {
  THCState* state = THCState_alloc();
  THCudaInit(state);
  return report(THCState_getCurrentDeviceProperties(state)->maxThreadsPerBlock, at::cuda::detail::CUDA_NUM_THREADS,
                ::CUDA_NUM_THREADS);
}
