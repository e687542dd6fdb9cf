// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/harmless_text.h"

#include <algorithm>
#include <string>

namespace torchpatch::fuzz {
namespace {

std::string encode(char32_t value) {
  const auto tail = [value](int shift) { return static_cast<char>(0x80 | ((value >> shift) & 0x3F)); };
  if (value < 0x80) return {static_cast<char>(value)};
  if (value < 0x800) return {static_cast<char>(0xC0 | (value >> 6)), tail(0)};
  if (value < 0x10000) return {static_cast<char>(0xE0 | (value >> 12)), tail(6), tail(0)};
  return {static_cast<char>(0xF0 | (value >> 18)), tail(12), tail(6), tail(0)};
}

/// Returns the value that `bytes` would have if they were one sequence.
char32_t decode_blindly(std::string_view bytes) {
  const auto first = static_cast<unsigned char>(bytes[0]);
  if (bytes.size() == 1) return first;
  char32_t value = first & (0xFFu >> (bytes.size() + 1));
  for (const char c : bytes.substr(1)) value = value << 6 | (static_cast<unsigned char>(c) & 0x3Fu);
  return value;
}

bool is_scalar(char32_t value) { return value < 0xD800 || (value > 0xDFFF && value <= 0x10FFFF); }

}  // namespace

std::optional<std::vector<char32_t>> code_points(std::string_view text) {
  std::vector<char32_t> points;
  while (!text.empty()) {
    bool is_found = false;
    for (std::size_t length = 1; length <= 4 && length <= text.size() && !is_found; ++length) {
      const char32_t value = decode_blindly(text.substr(0, length));
      if (!is_scalar(value) || encode(value) != text.substr(0, length)) continue;
      points.push_back(value);
      text.remove_prefix(length);
      is_found = true;
    }
    if (!is_found) return std::nullopt;
  }
  return points;
}

bool is_harmless(std::string_view text) {
  const auto points = code_points(text);
  return points && std::none_of(points->begin(), points->end(), [](char32_t value) {
           return value < 0x20 || (value >= 0x7F && value <= 0x9F) || value == 0x61C || value == 0x200E ||
                  value == 0x200F || (value >= 0x202A && value <= 0x202E) || (value >= 0x2066 && value <= 0x2069);
         });
}

}  // namespace torchpatch::fuzz
