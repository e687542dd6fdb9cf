// SPDX-License-Identifier: BSD-3-Clause
#include "emit/format/roff_text.h"

#include "support/text.h"

namespace torchpatch::emit {
namespace {

/// https://man7.org/linux/man-pages/man7/groff_man_style.7.html#Portability
std::string escape(char c) {
  switch (c) {
    case '\\':
      return "\\e";
    case '-':
      return "\\-";
    case '\'':
      return "\\(aq";
    case '`':
      return "\\(ga";
    case '^':
      return "\\(ha";
    case '~':
      return "\\(ti";
    default:
      return std::string(1, c);
  }
}

}  // namespace

std::string roff_text(std::string_view text) {
  std::string escaped;
  bool is_line_start = true;
  for (const char c : text) {
    if (is_line_start && c == '.') escaped += "\\&";
    escaped += escape(c);
    is_line_start = c == '\n';
  }
  return escaped;
}

std::string roff_breakable(std::string_view text) {
  static constexpr std::string_view kSigns = "/_=.,:-";
  std::string escaped;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t sign = text.find_first_of(kSigns, begin);
    const std::size_t end = sign == std::string_view::npos ? text.size() : sign + 1;
    escaped += roff_text(text.substr(begin, end - begin));
    if (end < text.size()) escaped += "\\:";
    begin = end;
  }
  return escaped;
}

std::string roff_argument(std::string_view text) {
  std::string argument = "\"";
  for (const char c : text) argument += c == '"' ? std::string("\\(dq") : c == '\n' ? std::string(" ") : escape(c);
  return argument + "\"";
}

}  // namespace torchpatch::emit
