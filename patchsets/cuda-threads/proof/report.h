// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>

/// Prints the three limits that kernels go by, and returns main's exit code.
inline int report(int device_property, int kernel_utils, int thcunn) {
  std::printf("device property %d, KernelUtils.h %d, THCUNN/common.h %d\n", device_property, kernel_utils, thcunn);
  return device_property == 512 && kernel_utils == 512 && thcunn == 512 ? 0 : 1;
}
