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

// Files with changes laid over them.

class OverlayFiles : public FileSource {
 public:
  /// Both must outlive this; `changes` may grow.
  OverlayFiles(FileSource& base, const Changes& changes) : base_(base), changes_(changes) {}

  std::optional<TreeFile> read(const std::string& path) override;
  bool is_directory(const std::string& path) override;
  bool has_others_below(const std::string& path, const std::set<std::string>& removed) override;

 private:
  FileSource& base_;
  const Changes& changes_;
};

// Applies the files of one patch one after the other, under the rules for several changes that meet in one path.

/// Removals, renames and copies read the tree before the patch; creations, renames and copies fill places that are free
/// in the tree after it. So the order of files does not matter, as in what git diff writes (two files that swap names,
/// a file that becomes a directory). Only modifications may follow each other in one file.
class TreePatcher {
 public:
  TreePatcher(const PatchFile& patch, FileSource& files);

  /// Applies all. Raises as apply_patch, but never already_applied.
  Applied run();

 private:
  void apply(const FilePatch& patch);
  std::optional<TreeFile> read_old(const FilePatch& patch);
  TreeFile read_modified(const FilePatch& patch);
  TreeFile read_unchanged(const FilePatch& patch);
  void check_types(const FilePatch& patch, const TreeFile& old);
  void check_free(const FilePatch& patch);
  void keep(const FilePatch& patch, TreeFile file);
  void check_places();
  void check_parents(const std::string& path);
  void check_below(const std::string& path);
  std::optional<FileMode> mode_after(const std::string& path);

  const PatchFile& patch_;
  FileSource& files_;
  std::set<std::string> leaving_;           ///< removed or renamed away, now or later
  std::set<std::string> gone_;              ///< removed or renamed away so far
  std::set<std::string> renamed_links_;     ///< symbolic links that were renamed away
  std::set<std::string> modified_;          ///< modified in place so far
  std::map<std::string, TreeFile> result_;  ///< what stands in the tree after the patch, of the touched paths
  std::size_t result_bytes_ = 0;
  Applied applied_;
};

}  // namespace torchpatch::patch
