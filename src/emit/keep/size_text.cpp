// SPDX-License-Identifier: BSD-3-Clause
#include "emit/keep/size_text.h"

#include "support/text.h"

namespace torchpatch::emit {

std::string size_text(std::uint64_t bytes) {
  if (bytes < 1000) return concat(bytes, " B");
  std::uint64_t tenths = bytes / 100;
  const char* unit = "kB";
  for (const char* larger : {"MB", "GB", "TB"}) {
    if (tenths < 10'000) break;
    tenths /= 1000;
    unit = larger;
  }
  return concat(tenths / 10, ".", tenths % 10, " ", unit);
}

}  // namespace torchpatch::emit
