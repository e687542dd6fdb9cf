// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "cuda_stub.h"

namespace at::cuda {
cudaDeviceProp* getCurrentDeviceProperties();
cudaDeviceProp* getDeviceProperties(int64_t device);
}  // namespace at::cuda
