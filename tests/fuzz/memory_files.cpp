// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/memory_files.h"

#include "support/digest.h"
#include "support/text.h"

namespace torchpatch::patch {

std::optional<TreeFile> MemoryFiles::read(const std::string& path) {
  reads_.insert(path);
  const auto found = files_.find(path);
  if (found == files_.end()) return std::nullopt;
  return found->second;
}

bool MemoryFiles::is_directory(const std::string& path) { return has_others_below(path, {}); }

bool MemoryFiles::has_others_below(const std::string& path, const std::set<std::string>& removed) {
  const std::string prefix = path + "/";
  for (auto file = files_.lower_bound(prefix); file != files_.end() && starts_with(file->first, prefix); ++file)
    if (!removed.contains(file->first)) return true;
  return false;
}

MemoryFiles MemoryFiles::with(const Changes& changes) const {
  std::map<std::string, TreeFile> files = files_;
  for (const auto& [path, file] : changes) {
    files.erase(path);
    if (file) files[path] = *file;
  }
  return MemoryFiles(std::move(files));
}

std::optional<std::string> tree_problem(const std::map<std::string, TreeFile>& files) {
  MemoryFiles tree(files);
  for (const auto& [path, file] : files) {
    if (const auto problem = path_problem(path)) return concat(quote(path), ": ", *problem);
    if (tree.is_directory(path)) return concat(quote(path), " is a file and a directory");
    if (file.mode == FileMode::gitlink && !ObjectId::parse(file.bytes)) return concat(quote(path), " is no commit");
  }
  return std::nullopt;
}

}  // namespace torchpatch::patch
