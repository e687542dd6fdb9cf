// SPDX-License-Identifier: BSD-3-Clause
/// The bytes of a pack (internal to git), mapped a window at a time: a pack may be larger than a worker's address
/// space.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "git/mapped_file.h"

namespace torchpatch::git {

class PackFile {
 public:
  /// Opens a pack and checks its first and last bytes: magic, version, number of objects, checksum. Raises source.
  PackFile(const std::string& path, std::uint32_t object_count, std::string_view checksum);

  const std::string& path() const { return path_; }
  std::uint64_t size() const { return size_; }
  /// Returns `size` bytes from `start` on, or as many as there are before the checksum; good until the next call.
  /// Raises source where `start` lies outside.
  std::string_view bytes_at(std::uint64_t start, std::size_t size);
  /// Lets the kernel take the memory of what was read back.
  void release_pages() const {
    if (window_) window_->release_pages();
  }

 private:
  [[noreturn]] void fail(const std::string& reason) const;
  std::string read_at(std::uint64_t offset, std::size_t size) const;
  void map(std::uint64_t start, std::uint64_t end);

  std::string path_;
  UniqueFd file_;
  std::uint64_t size_ = 0;
  std::optional<MappedFile> window_;
  std::uint64_t window_start_ = 0;
};

}  // namespace torchpatch::git
