// SPDX-License-Identifier: BSD-3-Clause
/// Opens directories below a root one component at a time, never through a symbolic link.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/file.h"

namespace torchpatch::tree {

/// Keeps the way to the directory it was last asked for open, so that a walk opens each directory once.
class DirectoryCursor {
 public:
  /// Raises environment where `root` is not a directory that can be opened. `root` itself may be a link.
  explicit DirectoryCursor(std::string root);

  /// Returns the descriptor of `directory` (relative to the root; empty is the root), good until the next call.
  /// Raises environment where a component is missing, not a directory, or a link.
  int enter(std::string_view directory);

  /// What calls such as openat() take for a path.
  struct Place {
    int directory;
    const char* name;
  };
  /// Enters the directory that holds `path`, which has to outlive the result. Raises as enter().
  Place place_of(const std::string& path);

 private:
  struct Level {
    std::string path;  ///< relative to the root
    UniqueFd fd;
  };
  int current() const { return levels_.empty() ? root_fd_.get() : levels_.back().fd.get(); }

  std::string root_;
  UniqueFd root_fd_;
  std::vector<Level> levels_;
};

// A regular file of a tree, opened through no link and without ever blocking.

class RegularFile {
 public:
  /// Raises environment where `path` is not a regular file or cannot be opened; the message does not name it.
  RegularFile(DirectoryCursor& directories, const std::string& path);

  /// Bytes, as it was when it was opened.
  std::uint64_t size() const { return size_; }
  /// Permission bits, 07777.
  std::uint32_t mode() const { return mode_; }
  /// Reads all of it, a part at a time: returns the part that now stands in `buffer`, empty at the end. Raises
  /// environment where it cannot be read, or is not as long as it was.
  std::string_view read(std::string& buffer);

 private:
  UniqueFd fd_;
  std::uint64_t size_ = 0;
  std::uint64_t done_ = 0;
  std::uint32_t mode_ = 0;
  bool at_end_ = false;
};

}  // namespace torchpatch::tree
