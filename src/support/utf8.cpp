// SPDX-License-Identifier: BSD-3-Clause
#include "support/utf8.h"

#include <cstdint>
#include <cstring>

namespace torchpatch {

namespace {

/// What a lead byte promises: the sequence's length, its own payload bits, and the least value that needs this length.
struct Lead {
  std::size_t length;
  char32_t bits;
  char32_t minimum;
};

std::optional<Lead> read_lead(unsigned char byte) {
  if (byte < 0x80) return Lead{1, byte, 0};
  if (byte >= 0xC0 && byte < 0xE0) return Lead{2, byte & 0x1Fu, 0x80};
  if (byte >= 0xE0 && byte < 0xF0) return Lead{3, byte & 0x0Fu, 0x800};
  if (byte >= 0xF0 && byte < 0xF8) return Lead{4, byte & 0x07u, 0x10000};
  return std::nullopt;
}

/// Returns the first position from `position` on at which eight bytes, or the rest, are not all ASCII.
std::size_t skip_ascii(std::string_view text, std::size_t position) {
  for (std::uint64_t chunk = 0; position + sizeof chunk <= text.size(); position += sizeof chunk) {
    std::memcpy(&chunk, text.data() + position, sizeof chunk);
    if ((chunk & 0x8080808080808080u) != 0) break;
  }
  return position;
}

}  // namespace

std::optional<CodePoint> decode_utf8(std::string_view text, std::size_t position) {
  if (position >= text.size()) return std::nullopt;
  const std::optional<Lead> lead = read_lead(static_cast<unsigned char>(text[position]));
  if (!lead || lead->length > text.size() - position) return std::nullopt;
  char32_t value = lead->bits;
  for (std::size_t i = 1; i < lead->length; ++i) {
    const auto byte = static_cast<unsigned char>(text[position + i]);
    if ((byte & 0xC0u) != 0x80) return std::nullopt;
    value = (value << 6) | (byte & 0x3Fu);
  }
  const bool is_surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < lead->minimum || value > 0x10FFFF || is_surrogate) return std::nullopt;
  return CodePoint{value, lead->length};
}

std::size_t valid_utf8_prefix(std::string_view text) {
  std::size_t position = skip_ascii(text, 0);
  while (const std::optional<CodePoint> point = decode_utf8(text, position)) {
    position = skip_ascii(text, position + point->length);
  }
  return position;
}

bool is_valid_utf8(std::string_view text) { return valid_utf8_prefix(text) == text.size(); }

}  // namespace torchpatch
