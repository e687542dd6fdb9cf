// SPDX-License-Identifier: BSD-3-Clause
/// The git repository that a person changes patched files in (internal). Somebody else may have handed it over: git has
/// its settings from a directory of ours and reads no configuration, attributes or hooks of the work.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "support/file.h"

namespace torchpatch::upkeep {

struct WorkCommit {
  std::string id, parents, message;
};

class WorkRepository {
 public:
  /// Of a directory that read_patch_work looked at, or that create() makes a repository of. Everything here raises
  /// environment where git fails or is not there.
  explicit WorkRepository(std::string directory);

  /// Makes it an empty repository on the branch work, whose files are taken byte by byte, whatever their attributes
  /// say.
  void create() const;
  /// Lets a branch name a commit.
  void set_branch(const std::string& name, const std::string& commit) const;
  std::string branch_tip(const std::string& name) const;
  /// Removes the locks of a git that was ended by force.
  void unlock() const;
  /// Makes files, index and newest commit those of a commit; files that no commit has go.
  void reset(const std::string& commit) const;
  /// Takes all files into the index, and lets those of `entries` (lines of git update-index --index-info) be in
  /// conflict.
  void stage_conflicts(const std::string& entries) const;
  /// Returns what is in conflict and not yet settled in the index: path → blob of the second side.
  std::map<std::string, std::string> unmerged() const;
  /// Commits all files as they are; returns the commit's id.
  std::string commit(const std::string& message) const;
  std::string head() const;
  std::string tree_of(const std::string& commit) const;
  /// Returns the commits from `base` (exclusive) to the newest one, oldest first.
  std::vector<WorkCommit> commits_since(const std::string& base) const;
  /// Returns the tree of all files as they are; the index stays as it is.
  std::string tree_of_files() const;
  /// Returns the paths that differ between two commits or trees.
  std::vector<std::string> changed_paths(const std::string& before, const std::string& after) const;
  /// Returns their difference below `folder`, with full ids, binary files in full, and no renames.
  std::string diff(const std::string& before, const std::string& after, const std::string& folder) const;

  std::string path(const std::string& name) const { return directory_ + "/" + name; }

 private:
  std::string git(const std::vector<std::string>& args, const std::string& index = {},
                  const std::string& input = {}) const;

  std::string directory_;
  TempDir settings_;
};

}  // namespace torchpatch::upkeep
