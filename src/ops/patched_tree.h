// SPDX-License-Identifier: BSD-3-Clause
/// The patched tree: pinned files, with the bytes that patches compute in memory. Nothing is ever patched on disk.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/plan.h"
#include "ops/pinned_tree.h"
#include "patch/chain.h"
#include "tree/write_files.h"

namespace torchpatch::ops {

/// A patch to apply.
struct PatchStep {
  std::string name;  ///< for messages: "cuda-threads/T2/0001-cap-threads.patch"
  RepositoryPath repository;
  const std::string* text = nullptr;
  std::vector<patch::ExpectedEdge> expected;  ///< empty = not certified
};

/// A file to add where none is.
struct AddStep {
  std::string name;
  RepositoryPath repository;
  std::string path;
  FileMode mode = FileMode::regular;
  const std::string* bytes = nullptr;
};

struct PatchedTree {
  std::vector<tree::FileToWrite> files;         ///< of OUT, sorted by path
  std::vector<ObjectId> repository_trees;       ///< patched tree of each repository of the closure, gaps included
  std::map<Component, ObjectId> trees;          ///< with submodules inlined
  ObjectId tree;                                ///< of OUT without torchpatch/
  std::vector<std::vector<patch::Edge>> edges;  ///< of each step, as applied
  std::vector<std::string> notes;               ///< hunks that were found off their line
};

/// Applies the steps in order and computes every tree id. Raises patch and unsafe as the engine does, with the step's
/// name.
PatchedTree make_patched_tree(PinnedTree& pinned, const std::vector<PatchStep>& patches,
                              const std::vector<AddStep>& added, Console& console);

/// Returns the overrides of a plan, and the steps that its patches and added files stand for.
std::vector<SubmoduleOverride> overrides_of(const Plan& plan);
std::vector<PatchStep> patch_steps(const std::vector<PlannedPatch>& patches);
std::vector<AddStep> add_steps(const std::vector<PlannedFile>& files);

}  // namespace torchpatch::ops
