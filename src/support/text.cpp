// SPDX-License-Identifier: BSD-3-Clause
#include "support/text.h"

#include <algorithm>

namespace torchpatch {
namespace {

void append_octal(std::string& out, std::string_view bytes) {
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += '\\';
    out += static_cast<char>('0' + (byte >> 6));
    out += static_cast<char>('0' + ((byte >> 3) & 7));
    out += static_cast<char>('0' + (byte & 7));
  }
}

/// Characters that move the cursor, change the terminal's state or reorder what is read.
bool is_dangerous(char32_t value) {
  const bool is_control = value < 0x20 || (value >= 0x7F && value <= 0x9F);
  const bool is_line_break = value == 0x2028 || value == 0x2029;
  const bool is_bidirectional = value == 0x200E || value == 0x200F || value == 0x061C ||
                                (value >= 0x202A && value <= 0x202E) || (value >= 0x2066 && value <= 0x2069);
  return is_control || is_line_break || is_bidirectional;
}

void append_escaped(std::string& out, char32_t value, std::string_view bytes) {
  if (value == '\n') {
    out += "\\n";
  } else if (value == '\t') {
    out += "\\t";
  } else if (value == '\\' || value == '\'') {
    out += '\\';
    out += bytes;
  } else if (is_dangerous(value)) {
    append_octal(out, bytes);
  } else {
    out += bytes;
  }
}

bool is_harmless_in_shell(char c) {
  const bool is_alphanumeric = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return is_alphanumeric || std::string_view("_@%+=:,./-").find(c) != std::string_view::npos;
}

}  // namespace

std::string quote(std::string_view name) {
  std::string out = "'";
  for (std::size_t position = 0; position < name.size();) {
    const std::optional<CodePoint> point = decode_utf8(name, position);
    const std::string_view bytes = name.substr(position, point ? point->length : 1);
    if (point) {
      append_escaped(out, point->value, bytes);
    } else {
      append_octal(out, bytes);
    }
    position += bytes.size();
  }
  out += '\'';
  return out;
}

std::string printable(std::string_view text) {
  std::string quoted = quote(text);
  return quoted.size() == text.size() + 2 ? std::string(text) : quoted;
}

std::string shell_quote(std::string_view text) {
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_harmless_in_shell)) return std::string(text);
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  out += '\'';
  return out;
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string out;
  for (const std::string& part : parts) {
    if (&part != &parts.front()) out += separator;
    out += part;
  }
  return out;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

bool starts_with(std::string_view text, std::string_view prefix) { return text.starts_with(prefix); }

bool ends_with(std::string_view text, std::string_view suffix) { return text.ends_with(suffix); }

}  // namespace torchpatch
