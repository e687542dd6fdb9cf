// SPDX-License-Identifier: BSD-3-Clause
/// Numbers of git's formats that several files need (internal to git).
#pragma once

#include <cstdint>
#include <string_view>

#include "git/object.h"

namespace torchpatch::git {

inline constexpr std::string_view kPackMagic = "PACK";
inline constexpr std::size_t kPackHeaderBytes = 12;
inline constexpr std::size_t kPackChecksumBytes = 20;

/// Deflate cannot do better than 1032:1 (https://zlib.net/zlib_tech.html).
inline constexpr std::uint64_t kMaxInflation = 1032;

/// Returns the number by which packs name a type.
constexpr unsigned pack_type(ObjectType type) {
  switch (type) {
    case ObjectType::commit:
      return 1;
    case ObjectType::tree:
      return 2;
    case ObjectType::blob:
      return 3;
    case ObjectType::tag:
      return 4;
  }
  return 0;
}

/// Returns the CRC-32 that an index keeps of an entry's bytes.
std::uint32_t entry_crc(std::string_view entry);

}  // namespace torchpatch::git
