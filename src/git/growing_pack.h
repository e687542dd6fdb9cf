// SPDX-License-Identifier: BSD-3-Clause
/// Writes a pack with its index (https://git-scm.com/docs/gitformat-pack): one file for thousands of objects. Objects
/// are stored whole, lightly compressed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "git/object.h"
#include "support/file.h"
#include "support/object_id.h"

namespace torchpatch::git {

class GrowingPack {
 public:
  /// Most bytes that a pack may have: its index has offsets of 31 bits.
  static constexpr std::uint64_t kMaxBytes = (1ull << 31) - 1;

  /// Begins a pack in `directory` (".../objects/pack"), which exists. Raises environment.
  explicit GrowingPack(std::string directory);
  /// Removes what was written unless finish() was called.
  ~GrowingPack();
  GrowingPack(const GrowingPack&) = delete;
  GrowingPack& operator=(const GrowingPack&) = delete;

  /// Writes an object, unless this pack has it, and returns its id. Raises environment; unsafe where it is over
  /// kMaxObjectBytes, internal where the pack would grow over kMaxBytes.
  ObjectId write(ObjectType type, std::string_view bytes);
  /// Bytes written so far.
  std::uint64_t size() const { return size_; }
  /// Completes the pack and its index: "pack-<checksum>.pack" and ".idx". An empty one is removed. Raises environment.
  void finish();

 private:
  struct Entry {
    std::uint32_t offset = 0, checksum = 0;  ///< CRC-32 of the entry as it stands in the pack
  };

  void append(std::string_view bytes);
  std::string write_trailer();
  std::string index_text(std::string_view pack_checksum) const;

  std::string directory_, path_;
  UniqueFd file_;
  std::uint64_t size_ = 0;
  std::map<ObjectId, Entry> entries_;
};

}  // namespace torchpatch::git
