// SPDX-License-Identifier: BSD-3-Clause
/// Git tree ids computed from a listing of paths; nothing is read.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/path_rule.h"
#include "support/object_id.h"

namespace torchpatch::tree {

/// A leaf of a tree: a file, a link, or a gitlink (`id` is then its commit).
struct Leaf {
  std::string_view path;
  FileMode mode = FileMode::regular;
  ObjectId id;
};

struct TreeIds {
  ObjectId tree;
  std::map<std::string, ObjectId, std::less<>> directories;  ///< those at its top
};

/// Returns the ids of the tree that holds exactly these leaves (any order; paths are unique). The empty list is git's
/// empty tree. Raises unsafe where a path is both a leaf and a directory, or stands twice.
TreeIds tree_ids(std::vector<Leaf> leaves);
inline ObjectId tree_id(std::vector<Leaf> leaves) { return tree_ids(std::move(leaves)).tree; }

}  // namespace torchpatch::tree
