// SPDX-License-Identifier: BSD-3-Clause
#include "emit/format/number_text.h"

#include <ctime>

#include "support/text.h"

namespace torchpatch::emit {

std::string counted(std::uint64_t count, const std::string& one, const std::string& many) {
  return concat(count, " ", count == 1 ? one : many.empty() ? one + "s" : many);
}

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

std::string day_text(std::int64_t time) {
  const std::time_t seconds = time;
  std::tm parts = {};
  gmtime_r(&seconds, &parts);
  char text[32];
  return std::string(text, std::strftime(text, sizeof text, "%Y-%m-%d", &parts));
}

}  // namespace torchpatch::emit
