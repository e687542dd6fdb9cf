// SPDX-License-Identifier: BSD-3-Clause
/// Numbers in network byte order, as packs and indexes have them.
#pragma once

#include <cstdint>
#include <string_view>

namespace torchpatch::git {

/// Returns the 32-bit number at `at`; the caller knows that four bytes are there.
inline std::uint32_t read_u32(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = (value << 8) | static_cast<std::uint8_t>(bytes[at + i]);
  return value;
}

/// Returns the 64-bit number at `at`; the caller knows that eight bytes are there.
inline std::uint64_t read_u64(std::string_view bytes, std::size_t at) {
  return (std::uint64_t{read_u32(bytes, at)} << 32) | read_u32(bytes, at + 4);
}

}  // namespace torchpatch::git
