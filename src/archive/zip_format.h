// SPDX-License-Identifier: BSD-3-Clause
/// What the reader and the writer of zips share of the format (PKWARE's APPNOTE 6.3.10).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace torchpatch::archive {

// How records begin: a member's own header, its entry in the central directory, the end of that.
inline constexpr std::string_view kZipHeader = "PK\3\4", kZipEntry = "PK\1\2", kZipEnd = "PK\5\6";
/// The flag of names in UTF-8; without it they are in code page 437.
inline constexpr std::uint64_t kZipUtf8 = 1 << 11;

/// Returns a number in little-endian order.
inline std::string zip_number(std::uint64_t value, std::size_t size) {
  std::string bytes;
  for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(value >> 8 * i & 0xFF);
  return bytes;
}

/// Returns the number that stands in `bytes`, which must have it.
inline std::uint64_t read_zip_number(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  while (size-- > 0) value = value << 8 | static_cast<unsigned char>(bytes[at + size]);
  return value;
}

}  // namespace torchpatch::archive
