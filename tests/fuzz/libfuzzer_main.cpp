// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer's entry point; tools/fuzz builds it once for each target, which TORCHPATCH_FUZZ_CHECK names.
#include <cstddef>
#include <cstdint>

#include "fuzz/properties.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  torchpatch::fuzz::TORCHPATCH_FUZZ_CHECK({reinterpret_cast<const char*>(data), size});
  return 0;
}
