// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "cuda_stub.h"

struct THCState {
  at::Allocator* cudaDeviceAllocator;
};
inline cusparseHandle_t THCState_getCurrentSparseHandle(THCState*) { return nullptr; }
inline cublasHandle_t THCState_getCurrentBlasHandle(THCState*) { return nullptr; }
namespace at {
struct Context {
  THCState* getTHCState() { return nullptr; }
};
inline Context globalContext() { return {}; }
}  // namespace at
