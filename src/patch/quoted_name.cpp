// SPDX-License-Identifier: BSD-3-Clause
#include "patch/quoted_name.h"

#include <algorithm>

namespace torchpatch::patch {
namespace {

/// Letters after a backslash, and the bytes they stand for.
constexpr std::string_view kLetters = "abtnvfr\"\\";
constexpr std::string_view kBytes = "\a\b\t\n\v\f\r\"\\";

bool is_octal(char c) { return c >= '0' && c <= '7'; }

/// Returns the byte of three octal digits, at most 377.
std::optional<char> octal_byte(std::string_view digits) {
  if (digits.size() < 3 || digits[0] > '3' || !std::all_of(digits.begin(), digits.begin() + 3, is_octal)) return {};
  return static_cast<char>((digits[0] - '0') * 64 + (digits[1] - '0') * 8 + (digits[2] - '0'));
}

/// Reads what follows a backslash and removes it from `text`.
std::optional<char> read_escape(std::string_view& text) {
  if (text.empty()) return std::nullopt;
  if (const std::size_t letter = kLetters.find(text[0]); letter != std::string_view::npos) {
    text.remove_prefix(1);
    return kBytes[letter];
  }
  const std::optional<char> byte = octal_byte(text);
  if (byte) text.remove_prefix(3);
  return byte;
}

bool is_unusual(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte >= 0x7F || c == '"' || c == '\\';
}

void append_escaped(std::string& out, char c) {
  if (!is_unusual(c)) {
    out += c;
    return;
  }
  out += '\\';
  if (const std::size_t letter = kBytes.find(c); letter != std::string_view::npos) {
    out += kLetters[letter];
    return;
  }
  const auto byte = static_cast<unsigned char>(c);
  out += static_cast<char>('0' + (byte >> 6));
  out += static_cast<char>('0' + ((byte >> 3) & 7));
  out += static_cast<char>('0' + (byte & 7));
}

}  // namespace

std::optional<UnquotedName> unquote_name(std::string_view text) {
  if (text.empty() || text[0] != '"') return std::nullopt;
  text.remove_prefix(1);
  UnquotedName unquoted;
  while (!text.empty()) {
    const char c = text[0];
    text.remove_prefix(1);
    if (c == '"') {
      unquoted.rest = text;
      return unquoted;
    }
    if (c != '\\') {
      unquoted.name += c;
      continue;
    }
    const std::optional<char> byte = read_escape(text);
    if (!byte) return std::nullopt;
    unquoted.name += *byte;
  }
  return std::nullopt;
}

std::string quote_name(std::string_view name) {
  if (std::none_of(name.begin(), name.end(), is_unusual)) return std::string(name);
  std::string out = "\"";
  for (const char c : name) append_escaped(out, c);
  return out + '"';
}

}  // namespace torchpatch::patch
