// SPDX-License-Identifier: BSD-3-Clause
/// All objects of a commit without its history; for use in worker processes.
#pragma once

#include <string>
#include <vector>

#include "git/object_store.h"
#include "support/object_id.h"

namespace torchpatch::source {

struct CommitObjects {
  std::string missing;             ///< why it is not to be had whole, or empty; the rest is then of no use
  std::vector<ObjectId> objects;   ///< each once: the commit, its trees and blobs in the order of their paths
  std::vector<ObjectId> gitlinks;  ///< commits of submodules, each once
  ObjectId tree;
  std::vector<ObjectId> parents;
};

/// Lists the objects of `commit`; commits and trees are read, blobs looked up. `near` as in ObjectStore::read. Raises
/// unsafe for a tree that is too deep or large (a million entries).
CommitObjects list_commit_objects(git::ObjectStore& store, const ObjectId& commit, int near);

}  // namespace torchpatch::source
