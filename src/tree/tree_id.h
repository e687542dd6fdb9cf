// SPDX-License-Identifier: BSD-3-Clause
/// Git tree ids computed from a listing of paths; nothing is read.
#pragma once

#include <string>
#include <vector>

#include "model/path_rule.h"
#include "support/object_id.h"

namespace torchpatch::tree {

/// A leaf of a tree: a file, a link, a gitlink (`id` is then its commit), or a directory whose tree is known.
struct Leaf {
  std::string path;
  FileMode mode = FileMode::regular;
  ObjectId id;
};

/// Returns the id of the tree that holds exactly these leaves (any order; paths are unique). The empty list is git's
/// empty tree. Raises unsafe where a path is both a leaf and a directory, or stands twice.
ObjectId tree_id(std::vector<Leaf> leaves);

}  // namespace torchpatch::tree
