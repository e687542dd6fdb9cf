// SPDX-License-Identifier: BSD-3-Clause
/// PatchedTree: the pinned files of a closure (PinnedTree) with patches applied in memory. Nothing is ever patched on
/// disk.
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

/// A closure with requested blobs.
class PinnedTree {
 public:
  PinnedTree(source::Closure closure, source::ObjectSource& source);

  const source::Closure& closure() const { return closure_; }
  /// Returns the index of a repository. Raises patch if the closure does not have it, source if it is a gap.
  std::size_t repository(const RepositoryPath& path) const;
  /// Returns the direct submodules of a repository.
  const std::vector<SubmodulePlace>& submodules(std::size_t repository) const { return submodules_[repository]; }
  /// Returns the files of a repository, sorted by path.
  std::span<const source::ClosureFile> files(std::size_t repository) const;
  /// Returns the file at a path of a repository, or null.
  const source::ClosureFile* find(std::size_t repository, const std::string& path) const;
  /// Returns the entries of a repository's tree that the closure lacks.
  std::vector<const source::PinnedEntry*> gaps(std::size_t repository) const;

  /// Reads the content of these paths, if they exist, for content(). Raises source if one is a gap.
  void load(const std::vector<std::pair<std::size_t, std::string>>& paths, Console& console);
  /// Returns the content of a file; raises internal if it was not loaded.
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

/// Ids of OUT's trees.
struct WholeTrees {
  std::map<Component, ObjectId> trees;  ///< with submodules inlined
  ObjectId tree;                        ///< without torchpatch/
};

/// Returns the trees of `leaves`, all of OUT except torchpatch/. Raises unsafe as tree::tree_id.
WholeTrees whole_trees(const std::vector<Component>& components, std::vector<tree::Leaf> leaves);

struct PatchedTree {
  WholeTrees whole;
  std::vector<tree::FileToWrite> files;       ///< of OUT, sorted by path
  std::vector<ObjectId> repository_trees;     ///< patched tree of each repository of the closure, including gaps
  std::vector<std::vector<PatchEdge>> edges;  ///< per patch, as applied
  std::vector<std::string> moved;             ///< hunks not at their stated line
  std::vector<std::string> notes;             ///< names that differ only in case
};

/// Applies the patches in order, adds files that must not exist yet, and computes all tree ids. Raises patch and unsafe
/// as the engine, with the patch's name.
PatchedTree make_patched_tree(PinnedTree& pinned, const std::vector<patch::PatchStep>& patches,
                              const std::vector<AddedFile>& added, Console& console);

/// Returns a plan's overrides.
std::vector<SubmoduleOverride> overrides_of(const Plan& plan);
/// Returns a plan's patches, parsed, with the edges of their certificates. Raises as parse_patch.
std::vector<patch::PatchStep> patch_steps(const std::vector<PlannedPatch>& patches);
/// Returns a plan's added files; `file`, for messages, begins with the patchset.
std::vector<AddedFile> files_to_add(const std::vector<PlannedFile>& files);

}  // namespace torchpatch::trees
