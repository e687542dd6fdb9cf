// SPDX-License-Identifier: BSD-3-Clause
#include "emit/format/xml_text.h"

#include "emit/format/text_table.h"

namespace torchpatch::emit {

std::string xml_text(std::string_view text) {
  std::string escaped;
  for (const char c : plain_line(std::string(text))) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

}  // namespace torchpatch::emit
