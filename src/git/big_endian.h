// SPDX-License-Identifier: BSD-3-Clause
/// Numbers in network byte order, as packs and indexes have them.
#pragma once

#include <endian.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace torchpatch::git {

/// Returns the 32-bit number at `at`; the caller knows that four bytes are there.
inline std::uint32_t read_u32(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return be32toh(value);
}

/// Returns the 64-bit number at `at`; the caller knows that eight bytes are there.
inline std::uint64_t read_u64(std::string_view bytes, std::size_t at) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return be64toh(value);
}

/// Appends a number to `out`.
inline void append_u32(std::string& out, std::uint32_t value) {
  const std::uint32_t bytes = htobe32(value);
  out.append(reinterpret_cast<const char*>(&bytes), sizeof bytes);
}
inline void append_u64(std::string& out, std::uint64_t value) {
  const std::uint64_t bytes = htobe64(value);
  out.append(reinterpret_cast<const char*>(&bytes), sizeof bytes);
}

}  // namespace torchpatch::git
