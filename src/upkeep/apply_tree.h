// SPDX-License-Identifier: BSD-3-Clause
/// Plumbing: applies a patch to a tree of a git repository and computes the id of the new tree.
#pragma once

#include <string>
#include <vector>

#include "support/object_id.h"

namespace torchpatch::upkeep {

struct AppliedTree {
  ObjectId tree;
  std::vector<std::string> notes;  ///< hunks that were found off their line, one line each
};

/// Returns the tree that the patch in `patch_file` makes of `tree` in `git_dir`. Nothing is written, and only the trees
/// and files that the patch touches are read, in a worker process. Raises as parse_patch and apply_patch; source where
/// an object is missing or damaged; environment where the patch file cannot be read.
AppliedTree apply_tree(const std::string& git_dir, const ObjectId& tree, const std::string& patch_file);

}  // namespace torchpatch::upkeep
