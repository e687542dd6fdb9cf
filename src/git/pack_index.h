// SPDX-License-Identifier: BSD-3-Clause
/// The index (.idx, version 2) of a pack, read by our own code: libgit2 1.5 trusts it and crashes on a bad one
/// (reliability §3.2 15; fixed upstream in 6e8227ab3 and 06cafdf9d, not in Debian 12).
/// Format: https://git-scm.com/docs/gitformat-pack, "Version 2 pack-*.idx files".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "git/mapped_file.h"
#include "support/object_id.h"

namespace torchpatch::git {

class PackIndex {
 public:
  /// Opens an index and checks what lookups rely on: magic, fan-out, size. Raises source where that is wrong.
  explicit PackIndex(const std::string& path);
  /// The same for a file that is open; `path` is for messages.
  PackIndex(const UniqueFd& file, const std::string& path);

  std::uint32_t object_count() const { return count_; }
  /// Returns the names of all objects, in the order in which these stand in the pack. Raises source.
  std::vector<ObjectId> ids() const;
  /// Returns the offset of an object in the pack, or nothing.
  std::optional<std::uint64_t> find(const ObjectId& id) const;
  /// Reads all of it: names sorted and in their fan-out, every offset inside a pack of `pack_size` bytes. Raises
  /// source.
  void check_entries(std::uint64_t pack_size) const;
  /// Returns the trailing checksum of the pack as the index records it.
  std::string_view pack_checksum() const;

 private:
  std::uint32_t fan_out(std::size_t first_byte) const;
  std::string_view name(std::uint32_t position) const;
  std::size_t offsets_start() const;
  std::uint64_t offset(std::uint32_t position) const;
  void check_fan_out();
  void check_size();
  void check_names() const;
  void check_offsets(std::uint64_t pack_size) const;
  [[noreturn]] void fail(const std::string& reason) const;

  std::string path_;
  MappedFile file_;
  std::uint32_t count_ = 0;
  std::size_t long_offset_count_ = 0;  ///< entries of the table of 64-bit offsets
};

}  // namespace torchpatch::git
