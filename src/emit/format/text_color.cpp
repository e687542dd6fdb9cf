// SPDX-License-Identifier: BSD-3-Clause
#include "emit/format/text_color.h"

#include "support/text.h"

namespace torchpatch::emit {

namespace {

const char* code_of(Paint paint) {
  switch (paint) {
    case Paint::heading:
      return "1";
    case Paint::added:
      return "32";
    case Paint::removed:
      return "31";
    case Paint::added_word:
      return "1;4;32";  // underlined too: not by colour alone
    case Paint::removed_word:
      return "1;4;31";
    case Paint::warning:
      return "33";
    case Paint::error:
      return "1;31";
    case Paint::faint:
      return "2";
  }
  return "";
}

}  // namespace

std::string painted(const std::string& text, Paint paint, TextColor color) {
  if (color == TextColor::none || text.empty()) return text;
  return concat("\033[", code_of(paint), "m", text, "\033[0m");
}

}  // namespace torchpatch::emit
