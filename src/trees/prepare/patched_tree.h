// SPDX-License-Identifier: BSD-3-Clause
/// PatchedTree: the pinned files of a closure (PinnedTree) with the bytes that patches compute in memory. Nothing is
/// ever patched on disk.
#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/plan.h"
#include "model/repository_path.h"
#include "patch/apply.h"
#include "source/closure/closure.h"
#include "source/closure/object_source.h"
#include "tree/scan.h"
#include "tree/write_files.h"

namespace torchpatch::trees {

/// A closure with the blobs that someone asked for.
class PinnedTree {
 public:
  PinnedTree(source::Closure closure, source::ObjectSource& source);

  const source::Closure& closure() const { return closure_; }
  /// Returns the index of a repository. Raises patch where the closure has none of this name, source where it is a gap.
  std::size_t repository(const RepositoryPath& path) const;
  /// Submodules that lie directly in a repository.
  const std::vector<SubmodulePlace>& submodules(std::size_t repository) const { return submodules_[repository]; }
  /// Returns the files of a repository, sorted by path.
  std::span<const source::ClosureFile> files(std::size_t repository) const;
  /// Returns the file at a path of a repository, or null.
  const source::ClosureFile* find(std::size_t repository, const std::string& path) const;
  /// Returns what a repository's tree has and the closure lacks.
  std::vector<const source::PinnedEntry*> gaps(std::size_t repository) const;

  /// Reads the content of these paths (those that exist) for content(). Raises source where one of them is a gap.
  void load(const std::vector<std::pair<std::size_t, std::string>>& paths, Console& console);
  /// Returns the content of a file; raises internal where it was not loaded.
  const std::string& content(const source::ClosureFile& file) const;

 private:
  source::Closure closure_;
  source::ObjectSource& source_;
  std::map<RepositoryPath, std::size_t> index_;
  std::vector<std::vector<SubmodulePlace>> submodules_;
  std::map<ObjectId, std::string> blobs_;
};

/// Returns the time of the newest commit, in seconds since 1970.
std::int64_t newest_time(const source::Closure& closure);

/// The ids of the trees of OUT.
struct WholeTrees {
  std::map<Component, ObjectId> trees;  ///< with submodules inlined
  ObjectId tree;                        ///< without torchpatch/
};

/// Returns the trees that `leaves`, all of OUT but torchpatch/, make. Raises unsafe as tree::tree_id does.
WholeTrees whole_trees(const std::vector<Component>& components, std::vector<tree::Leaf> leaves);

struct PatchedTree {
  WholeTrees whole;
  std::vector<tree::FileToWrite> files;       ///< of OUT, sorted by path
  std::vector<ObjectId> repository_trees;     ///< patched tree of each repository of the closure, gaps included
  std::vector<std::vector<PatchEdge>> edges;  ///< of each patch, as applied
  std::vector<std::string> moved;             ///< hunks off their line
  std::vector<std::string> notes;             ///< names that differ only in case
};

/// Applies the patches in order, adds files where there are none, and computes every tree id. Raises patch and unsafe
/// as the engine does, with the name of the patch.
PatchedTree make_patched_tree(PinnedTree& pinned, const std::vector<patch::PatchStep>& patches,
                              const std::vector<AddedFile>& added, Console& console);

/// Returns the overrides of a plan.
std::vector<SubmoduleOverride> overrides_of(const Plan& plan);
/// Returns the patches of a plan, parsed, with what their certificates expect. Raises as parse_patch.
std::vector<patch::PatchStep> patch_steps(const std::vector<PlannedPatch>& patches);
/// Returns the files that a plan adds; `file` of each, for messages, begins with its patchset.
std::vector<AddedFile> files_to_add(const std::vector<PlannedFile>& files);

}  // namespace torchpatch::trees
