// SPDX-License-Identifier: BSD-3-Clause
// Compiled with the tree's own CUDAContext.cpp and headers; everything around them is stub/.
#include "aten/src/ATen/cuda/CUDAContext.cpp"
#include "aten/src/ATen/cuda/detail/KernelUtils.h"
#include "report.h"

#if __has_include("aten/src/THCUNN/common.h")
#include "aten/src/THCUNN/common.h"
constexpr int kThcunn = ::CUDA_NUM_THREADS;
#else
constexpr int kThcunn = at::cuda::detail::CUDA_NUM_THREADS;  // gone with THCUNN in 1.10
#endif

int main() {
  return report(at::cuda::getCurrentDeviceProperties()->maxThreadsPerBlock, at::cuda::detail::CUDA_NUM_THREADS,
                kThcunn);
}
