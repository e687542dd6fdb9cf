// SPDX-License-Identifier: BSD-3-Clause
/// The pinned trees of a closure as files that patches can be applied to.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/submodule_layout.h"
#include "patch/apply.h"
#include "source/closure.h"
#include "source/object_source.h"

namespace torchpatch::ops {

/// A closure with the blobs that someone asked for.
class PinnedTree {
 public:
  PinnedTree(source::Closure closure, source::ObjectSource& source);

  const source::Closure& closure() const { return closure_; }
  /// Returns the index of a repository. Raises patch where the closure has none of this name, source where it is a gap.
  int repository(const RepositoryPath& path) const;
  /// Submodules that lie directly in a repository.
  const std::vector<SubmodulePlace>& submodules(int repository) const;
  /// Returns the files of a repository, as indices [first, last) into closure().files.
  std::pair<std::size_t, std::size_t> files_of(int repository) const;

  /// Returns what a repository's tree has and the closure lacks.
  std::vector<const source::PinnedEntry*> gaps_of(int repository) const;

  /// Reads the content of these paths (those that exist) so that files() can give it. Raises source where one of them
  /// is a gap.
  void load(const std::vector<std::pair<int, std::string>>& paths, Console& console);
  /// Returns a view of one repository; a path that was not loaded raises internal. Lives no longer than this.
  std::unique_ptr<patch::FileSource> files(int repository) const;

 private:
  friend class PinnedFiles;
  void require_no_gap(int repository, const std::string& path) const;
  const source::ClosureFile* find(int repository, const std::string& path) const;

  source::Closure closure_;
  source::ObjectSource& source_;
  std::map<RepositoryPath, int> index_;
  std::vector<std::vector<SubmodulePlace>> submodules_;
  std::vector<std::pair<std::size_t, std::size_t>> ranges_;
  std::map<ObjectId, std::string> blobs_;
};

}  // namespace torchpatch::ops
