// SPDX-License-Identifier: BSD-3-Clause
#include "cli/completion.h"

namespace torchpatch::cli {

std::string catalog_kind(const OptionDescription& option) {
  if (option.metavar == "VERSION") return "releases";
  if (option.metavar == "BOARD") return "boards";
  return "";
}

ValueKind value_kind(const OptionDescription& option) {
  if (!option.choices.empty()) return ValueKind::choice;
  if (!catalog_kind(option).empty()) return ValueKind::catalog_entry;
  if (option.metavar == "DIR") return ValueKind::directory;
  if (option.metavar == "FILE" || option.metavar == "MANIFEST") return ValueKind::file;
  return ValueKind::none;
}

}  // namespace torchpatch::cli
