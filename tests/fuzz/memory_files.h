// SPDX-License-Identifier: BSD-3-Clause
/// A tree in memory for tests of the patch engine.
#pragma once

#include <map>
#include <set>
#include <string>

#include "patch/apply.h"

namespace torchpatch::patch {

class MemoryFiles : public FileSource {
 public:
  MemoryFiles() = default;
  explicit MemoryFiles(std::map<std::string, TreeFile> files) : files_(std::move(files)) {}

  std::optional<TreeFile> read(const std::string& path) override;
  bool is_directory(const std::string& path) override;
  bool has_others_below(const std::string& path, const std::set<std::string>& removed) override;

  /// Returns the tree with `changes`.
  MemoryFiles with(const Changes& changes) const;
  const std::map<std::string, TreeFile>& files() const { return files_; }
  /// The paths that were read so far.
  const std::set<std::string>& reads() const { return reads_; }

 private:
  std::map<std::string, TreeFile> files_;
  std::set<std::string> reads_;
};

/// Returns why `files` cannot be a tree: a path that the path-and-mode rule refuses, a file with others below it, or a
/// gitlink that is no commit id. Nothing where it is well.
std::optional<std::string> tree_problem(const std::map<std::string, TreeFile>& files);

}  // namespace torchpatch::patch
