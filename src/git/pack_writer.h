// SPDX-License-Identifier: BSD-3-Clause
/// Packs of our own, written (PackWriter, GrowingPack) and read again (read_pack). Format:
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

/// Returns the first bytes of a pack of `count` objects.
std::string pack_header(std::uint32_t count);

/// Appends the zlib stream of this level that `bytes` are compressed to.
void append_zlib_stream(std::string& out, std::string_view bytes, int level);

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

/// A pack of objects whose number is known only when the last one has come: thousands of objects in one file.
class GrowingPack {
 public:
  /// Begins a pack in `directory` (".../objects/pack"), which exists. Raises environment.
  explicit GrowingPack(std::string directory);
  /// Removes what was written unless finish() was called.
  ~GrowingPack();
  GrowingPack(const GrowingPack&) = delete;
  GrowingPack& operator=(const GrowingPack&) = delete;

  /// Writes an object, lightly compressed, unless this pack has it, and returns its id. Raises environment; unsafe
  /// where it is over kMaxObjectBytes.
  ObjectId write(ObjectType type, std::string_view bytes);
  /// Bytes written so far.
  std::uint64_t size() const { return size_; }
  /// Completes the pack and its index: "pack-<checksum>.pack" and ".idx"; of no objects there is none. Raises
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

/// Returns whether a folder has packs, each with its index, and all have the bytes that their checksums are of.
bool are_packs_intact(const std::string& directory);

/// Reads a pack of the kind that is written here, and no other: bytes of strangers, of which no index is believed.
/// Calls `visit` with each object and the id that its content has, and returns where each stands. `name` is for
/// messages. Raises source: no pack of version 2, a delta, an entry that is damaged or says another size, an object
/// twice, bytes that are left over, another checksum; unsafe: an object over kMaxObjectBytes.
std::vector<PackPlace> read_pack(std::string_view bytes, const std::string& name,
                                 const std::function<void(const ObjectId&, const Object&)>& visit);

}  // namespace torchpatch::git
