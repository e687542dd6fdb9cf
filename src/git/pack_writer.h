// SPDX-License-Identifier: BSD-3-Clause
/// Packs of our own: version 2, every object whole, none as a delta, so that equal objects in equal order give equal
/// bytes (with one version of zlib), and that they are read without any memory of other objects.
/// Format: https://git-scm.com/docs/gitformat-pack
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "git/object.h"
#include "support/digest.h"
#include "support/object_id.h"

namespace torchpatch::git {

/// Returns the first bytes of a pack of `count` objects.
std::string pack_header(std::uint32_t count);

/// Returns an object as it stands in a pack: type and size, then the content as a zlib stream of this level.
std::string pack_entry(const Object& object, int level = 6);

/// Where an object stands in a pack.
struct PackPlace {
  ObjectId id;
  std::uint64_t offset = 0;
  std::uint32_t crc = 0;  ///< CRC-32 of the entry
};

/// Returns the index (version 2) of a pack that ends in `checksum` (20 bytes).
std::string pack_index_bytes(std::vector<PackPlace> places, std::string_view checksum);

struct WrittenPack {
  std::uint64_t size = 0;  ///< bytes
  std::string checksum;    ///< its last 20 bytes
  std::vector<PackPlace> places;
};

/// Writes a pack as its entries come.
class PackWriter {
 public:
  using Sink = std::function<void(std::string_view)>;
  /// `count` objects will follow.
  PackWriter(std::uint32_t count, Sink sink);
  /// `entry`: what pack_entry() gave.
  void add(const ObjectId& id, std::string_view entry);
  /// Ends the pack. Raises internal where another number of objects came.
  WrittenPack finish();

 private:
  void put(std::string_view bytes);

  std::uint32_t count_;
  Sink sink_;
  Sha1Hasher hasher_;
  WrittenPack written_;
};

}  // namespace torchpatch::git
