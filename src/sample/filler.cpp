// SPDX-License-Identifier: BSD-3-Clause
#include "sample/filler.h"

#include <algorithm>
#include <array>

#include "support/text.h"

namespace torchpatch::sample {

namespace {

constexpr std::array<std::string_view, 10> kSlashComments = {".S",   ".c", ".cc",  ".cpp",  ".cu",
                                                             ".cuh", ".h", ".hpp", ".java", ".proto"};

}  // namespace

std::string comment_line(const std::string& path, const std::string& text) {
  const bool has_slashes = std::any_of(kSlashComments.begin(), kSlashComments.end(),
                                       [&](std::string_view suffix) { return ends_with(path, suffix); });
  return concat(has_slashes ? "// " : "# ", text, '\n');
}

std::string filler_line(const std::string& path, std::uint32_t number) {
  return comment_line(path, concat("torchpatch stand-in, line ", number, ": nothing of upstream's"));
}

}  // namespace torchpatch::sample
