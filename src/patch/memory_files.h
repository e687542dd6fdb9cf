// SPDX-License-Identifier: BSD-3-Clause
/// Files in memory, as many as a patch may ask for.
#pragma once

#include <map>
#include <set>
#include <string>

#include "patch/apply.h"

namespace torchpatch::patch {

/// What is not in it is not there; so put in every path that touched_paths() gives and that exists.
class MemoryFiles : public FileSource {
 public:
  void add(const std::string& path, TreeFile file) { files_[path] = std::move(file); }
  void add_directory(const std::string& path) { directories_.insert(path); }

  std::optional<TreeFile> read(const std::string& path) override {
    const auto found = files_.find(path);
    return found == files_.end() ? std::nullopt : std::optional<TreeFile>(found->second);
  }
  bool is_directory(const std::string& path) override { return directories_.contains(path); }

 private:
  std::map<std::string, TreeFile> files_;
  std::set<std::string> directories_;
};

}  // namespace torchpatch::patch
