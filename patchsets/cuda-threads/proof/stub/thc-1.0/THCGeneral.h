// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "cuda_stub.h"

enum cublasStatus_t {
  CUBLAS_STATUS_SUCCESS,
  CUBLAS_STATUS_NOT_INITIALIZED,
  CUBLAS_STATUS_ALLOC_FAILED,
  CUBLAS_STATUS_INVALID_VALUE,
  CUBLAS_STATUS_ARCH_MISMATCH,
  CUBLAS_STATUS_MAPPING_ERROR,
  CUBLAS_STATUS_EXECUTION_FAILED,
  CUBLAS_STATUS_INTERNAL_ERROR
};
enum cusparseStatus_t {
  CUSPARSE_STATUS_SUCCESS,
  CUSPARSE_STATUS_NOT_INITIALIZED,
  CUSPARSE_STATUS_ALLOC_FAILED,
  CUSPARSE_STATUS_INVALID_VALUE,
  CUSPARSE_STATUS_ARCH_MISMATCH,
  CUSPARSE_STATUS_MAPPING_ERROR,
  CUSPARSE_STATUS_EXECUTION_FAILED,
  CUSPARSE_STATUS_INTERNAL_ERROR,
  CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED
};
inline cublasStatus_t cublasCreate(cublasHandle_t*) { return CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasDestroy(cublasHandle_t) { return CUBLAS_STATUS_SUCCESS; }
inline cusparseStatus_t cusparseCreate(cusparseHandle_t*) { return CUSPARSE_STATUS_SUCCESS; }
inline cusparseStatus_t cusparseDestroy(cusparseHandle_t) { return CUSPARSE_STATUS_SUCCESS; }

namespace at::cuda {
struct CUDAStream {
  cudaStream_t stream() { return 0; }
};
inline CUDAStream getCurrentCUDAStream(int = 0) { return {}; }
}  // namespace at::cuda

struct THCCudaResourcesPerDevice {
  cublasHandle_t blasHandle;
  cusparseHandle_t sparseHandle;
  std::size_t scratchSpacePerStream;
};
struct THCRNGState {};
struct THCState;
using THAllocator = at::Allocator;
using THCDeviceAllocator = at::Allocator;
inline at::Allocator* THCCachingAllocator_get() { return nullptr; }
inline at::Allocator* getTHCCachingHostAllocator() { return nullptr; }
inline void THCCachingAllocator_emptyCache() {}
inline void THCCachingHostAllocator_emptyCache() {}
inline void THCCachingHostAllocator_recordEvent(void*, at::cuda::CUDAStream) {}
inline void THCCachingAllocator_cacheInfo(int, std::size_t*, std::size_t*) {}
inline cudaError_t cudaMemGetInfo(std::size_t*, std::size_t*) { return cudaSuccess; }
inline void THCRandom_init(THCState*, int, int) {}
inline void THCRandom_shutdown(THCState*) {}

#define THError(...) std::abort()
#define _THError(...) std::abort()
#define THAssert(condition) assert(condition)
#define THCudaCheck(call) static_cast<void>(call)
#define THCublasCheck(call) static_cast<void>(call)
#define THCusparseCheck(call) static_cast<void>(call)
