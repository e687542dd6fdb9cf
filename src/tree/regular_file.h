// SPDX-License-Identifier: BSD-3-Clause
/// A regular file of a tree, opened through no link and without ever blocking.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "support/file.h"
#include "tree/directory_cursor.h"

namespace torchpatch::tree {

class RegularFile {
 public:
  /// Raises environment where `path` is not a regular file or cannot be opened; the message does not name it.
  RegularFile(DirectoryCursor& directories, const std::string& path);

  /// Bytes, as it was when it was opened.
  std::uint64_t size() const { return size_; }
  /// Reads all of it, a part at a time: returns the part that now stands in `buffer`, empty at the end. Raises
  /// environment where it cannot be read, or is not as long as it was.
  std::string_view read(std::string& buffer);

 private:
  UniqueFd fd_;
  std::uint64_t size_ = 0;
  std::uint64_t done_ = 0;
};

}  // namespace torchpatch::tree
