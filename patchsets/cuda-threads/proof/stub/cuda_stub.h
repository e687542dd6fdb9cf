// SPDX-License-Identifier: BSD-3-Clause
// Stands in for the CUDA runtime, on a machine with one device that reports 1024 threads per block, and for what the
// compiled sources take from the rest of PyTorch.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

struct cudaDeviceProp {
  int maxThreadsPerBlock, warpSize, multiProcessorCount, regsPerBlock;
};
using cudaStream_t = int;
enum cudaError_t { cudaSuccess, cudaErrorPeerAccessAlreadyEnabled };
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  *properties = {1024, 32, 2, 32768};
  return cudaSuccess;
}
inline cudaError_t cudaGetDeviceCount(int* count) { return *count = 1, cudaSuccess; }
inline cudaError_t cudaGetDevice(int* device) { return *device = 0, cudaSuccess; }
inline cudaError_t cudaSetDevice(int) { return cudaSuccess; }
inline cudaError_t cudaDeviceCanAccessPeer(int* access, int, int) { return *access = 0, cudaSuccess; }
inline cudaError_t cudaDeviceEnablePeerAccess(int, int) { return cudaSuccess; }
inline cudaError_t cudaGetLastError() { return cudaSuccess; }
inline const char* cudaGetErrorString(cudaError_t) { return ""; }

using cublasHandle_t = void*;
using cusparseHandle_t = void*;
using cusolverDnHandle_t = void*;

namespace at {
using DeviceIndex = std::int8_t;
struct DataPtr {};
struct Allocator {
  void* raw_allocate(std::size_t) { return nullptr; }
  void raw_deallocate(void*) {}
  DataPtr allocate(std::size_t) { return {}; }
};
}  // namespace at

namespace c10::cuda {
inline at::DeviceIndex device_count() { return 1; }
inline at::DeviceIndex current_device() { return 0; }
namespace CUDACachingAllocator {
inline at::Allocator* get() { return nullptr; }
}  // namespace CUDACachingAllocator
}  // namespace c10::cuda

#define AT_CUDA_CHECK(call) static_cast<void>(call)
#define AT_ASSERT(condition, ...) assert(condition)
#define AT_ASSERTM(condition, ...) assert(condition)
#define TORCH_INTERNAL_ASSERT(condition, ...) assert(condition)
#define THAssertMsg(condition, ...) assert(condition)
