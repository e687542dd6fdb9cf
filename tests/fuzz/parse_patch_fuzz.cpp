// SPDX-License-Identifier: BSD-3-Clause
#include <cstddef>
#include <cstdint>

#include "fuzz/patch_properties.h"

// libFuzzer's entry point; tools/fuzz builds and runs it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  torchpatch::patch::check_parse_properties({reinterpret_cast<const char*>(data), size});
  return 0;
}
