// SPDX-License-Identifier: BSD-3-Clause
#include "emit/html/html_text.h"

#include <algorithm>

#include "support/ascii.h"
#include "support/text.h"

namespace torchpatch::emit {
namespace {

std::string upper_hex(char32_t value, int digits) {
  std::string hex;
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) hex += "0123456789ABCDEF"[value >> shift & 15];
  return hex;
}

bool is_bidirectional_control(char32_t value) {
  return (value >= 0x202A && value <= 0x202E) || (value >= 0x2066 && value <= 0x2069) || value == 0x200E ||
         value == 0x200F || value == 0x061C;
}

bool must_be_visible(char32_t value) {
  const bool is_control = (value < 0x20 && value != '\n' && value != '\t') || (value >= 0x7F && value < 0xA0);
  const bool is_noncharacter = (value & 0xFFFE) == 0xFFFE || (value >= 0xFDD0 && value <= 0xFDEF);
  return is_control || is_noncharacter || is_bidirectional_control(value);
}

void append_escaped(std::string& out, char32_t value, std::string_view bytes) {
  if (must_be_visible(value)) {
    out += "\\u" + upper_hex(value, value > 0xFFFF ? 6 : 4);
  } else if (value == '&') {
    out += "&amp;";
  } else if (value == '<') {
    out += "&lt;";
  } else if (value == '>') {
    out += "&gt;";
  } else if (value == '"') {
    out += "&quot;";
  } else {
    out += bytes;
  }
}

}  // namespace

std::string html_text(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 16);
  for (std::size_t i = 0; i < text.size();) {
    if (const std::optional<CodePoint> point = decode_utf8(text, i)) {
      append_escaped(out, point->value, text.substr(i, point->length));
      i += point->length;
    } else {
      out += "\\x" + upper_hex(static_cast<unsigned char>(text[i++]), 2);
    }
  }
  return out;
}

std::string html_link(std::string_view href, std::string_view text) {
  return concat("<a href=\"", html_text(href), "\">", html_text(text), "</a>");
}

std::string html_code(std::string_view text) { return concat("<code>", html_text(text), "</code>"); }

std::string html_anchor(std::string_view text) {
  std::string anchor;
  for (const char c : lower_case(text)) {
    const bool is_kept = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (is_kept) {
      anchor += c;
    } else if (!anchor.empty() && anchor.back() != '-') {
      anchor += '-';
    }
  }
  if (ends_with(anchor, "-")) anchor.pop_back();
  const bool begins_with_letter = !anchor.empty() && (anchor[0] < '0' || anchor[0] > '9');
  if (begins_with_letter) return anchor;
  return anchor.empty() ? "section" : "section-" + anchor;
}

}  // namespace torchpatch::emit
