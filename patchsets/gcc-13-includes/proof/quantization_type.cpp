// SPDX-License-Identifier: BSD-3-Clause
// As registry.cpp.
#include QUANTIZATION_TYPE
static_assert(sizeof(torch::jit::QuantType) == 1, "");
