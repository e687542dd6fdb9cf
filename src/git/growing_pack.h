// SPDX-License-Identifier: BSD-3-Clause
/// A pack of objects whose number is known only when the last one has come: thousands of objects in one file.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "git/object.h"
#include "git/pack_writer.h"
#include "support/file.h"
#include "support/object_id.h"

namespace torchpatch::git {

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
  std::set<ObjectId> ids_;
  std::vector<PackPlace> places_;
};

}  // namespace torchpatch::git
