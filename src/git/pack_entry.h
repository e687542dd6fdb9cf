// SPDX-License-Identifier: BSD-3-Clause
/// What stands in front of an object in a pack (internal to git).
/// Format: https://git-scm.com/docs/gitformat-pack
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "git/object.h"
#include "support/object_id.h"

namespace torchpatch::git {

struct PackEntry {
  std::uint64_t start = 0;         ///< its place in the pack
  std::optional<ObjectType> type;  ///< nothing: a delta
  std::uint64_t size = 0;          ///< bytes, inflated, of the object or the delta
  std::size_t header_size = 0;     ///< bytes in front of the zlib stream
  std::uint64_t base = 0;          ///< place of a delta's base; 0 where that is named by its id
  ObjectId base_id;
};

/// Types of deltas in the first byte of an entry: the base is named by its place, or by its id.
inline constexpr unsigned kOffsetDelta = 6, kIdDelta = 7;

/// Most bytes that stand in front of an entry's stream.
inline constexpr std::size_t kMostEntryHeaderBytes = 40;

/// Returns the Error of this kind for the entry of the pack `name` at byte `start`: "… is not a whole zlib stream".
Error entry_error(ErrorKind kind, const std::string& name, std::uint64_t start, const std::string& problem);

/// Reads the entry at byte `start`, where `bytes` begin; they end before the pack's checksum. Raises source where it is
/// malformed or a base does not lie in front of it, unsafe where its size is over kMaxObjectBytes.
PackEntry parse_pack_entry(std::string_view bytes, std::uint64_t start, const std::string& name);

}  // namespace torchpatch::git
