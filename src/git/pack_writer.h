// SPDX-License-Identifier: BSD-3-Clause
/// Writers for packs of our own (PackWriter, GrowingPack), and their reader (read_pack). Format:
/// https://git-scm.com/docs/gitformat-pack
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "git/object.h"
#include "support/digest.h"
#include "support/file.h"

namespace torchpatch::git {

/// Returns the header of a pack of `count` objects.
std::string pack_header(std::uint32_t count);

/// Appends `bytes` as a zlib stream of this level.
void append_zlib_stream(std::string& out, std::string_view bytes, int level);

/// Returns an object's entry in a pack: type and size, then the content as a zlib stream of this level.
std::string pack_entry(const Object& object, int level = 6);

/// An object's location in a pack.
struct PackPlace {
  ObjectId id;
  std::uint64_t offset = 0;
  std::uint32_t crc = 0;  ///< CRC-32 of the entry
};

/// Returns the index (version 2) of a pack with this trailing `checksum` (20 bytes).
std::string pack_index_bytes(std::vector<PackPlace> places, std::string_view checksum);

struct WrittenPack {
  std::uint64_t size = 0;  ///< bytes
  std::string checksum;    ///< its last 20 bytes
  std::vector<PackPlace> places;
};

/// Writes a pack whose number of objects is known in advance.
class PackWriter {
 public:
  using Sink = std::function<void(std::string_view)>;
  /// `count` objects must follow.
  PackWriter(std::uint32_t count, Sink sink);
  /// `entry`: the result of pack_entry().
  void add(const ObjectId& id, std::string_view entry);
  /// Completes the pack. Raises internal if the number of objects is wrong.
  WrittenPack finish();

 private:
  void put(std::string_view bytes);

  std::uint32_t count_;
  Sink sink_;
  Sha1Hasher hasher_;
  WrittenPack written_;
};

/// A pack whose number of objects is known only at the end: thousands of objects in one file.
class GrowingPack {
 public:
  /// Begins a pack in `directory` (".../objects/pack"), which must exist. Raises environment.
  explicit GrowingPack(std::string directory);
  /// Removes the file unless finish() was called.
  ~GrowingPack();
  GrowingPack(const GrowingPack&) = delete;
  GrowingPack& operator=(const GrowingPack&) = delete;

  /// Writes an object, lightly compressed, unless this pack has it already; returns its id. Raises environment; unsafe
  /// if it is over kMaxObjectBytes.
  ObjectId write(ObjectType type, std::string_view bytes);
  /// Returns the bytes written so far.
  std::uint64_t size() const { return size_; }
  /// Completes the pack and its index, "pack-<checksum>.pack" and ".idx"; writes none if there are no objects. Raises
  /// environment.
  void finish();

 private:
  void append(std::string_view bytes);
  std::string write_ends();

  std::string directory_, path_;
  UniqueFd file_;
  std::uint64_t size_ = 0;
  std::unordered_set<ObjectId, DigestHash> ids_;
  std::vector<PackPlace> places_;
};

/// Returns whether a folder has packs, each with an index, and all match their checksums.
bool are_packs_intact(const std::string& directory);

/// Reads a foreign pack, but only of the kind written here, and without any index. Calls `visit` with each object and
/// the id of its content; returns where each is. `name` is for messages. Raises source if it is not a pack of version
/// 2, has a delta, a damaged entry or one of another size, a duplicate object, trailing bytes or a wrong checksum;
/// unsafe for an object over kMaxObjectBytes.
std::vector<PackPlace> read_pack(std::string_view bytes, const std::string& name,
                                 const std::function<void(const ObjectId&, const Object&)>& visit);

}  // namespace torchpatch::git
