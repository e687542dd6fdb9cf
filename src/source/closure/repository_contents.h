// SPDX-License-Identifier: BSD-3-Clause
/// All objects of a commit without its history; for use in worker processes.
#pragma once

#include <string>
#include <vector>

#include "git/object_store.h"
#include "source/closure/closure.h"
#include "support/console.h"
#include "support/fields.h"
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

// Which objects each repository of some closures consists of.

/// The commits that closures need of one repository.
struct RepositoryCommits {
  std::string url;                ///< recorded
  std::vector<ObjectId> commits;  ///< in bytewise order
  std::string path{};             ///< of the repository; empty: where a mirror has that URL
};

/// Returns the repositories of all closures, each once, in the order of their paths in a mirror.
std::vector<RepositoryCommits> repositories_of(const std::vector<Closure>& closures);

struct KeptCommit {
  ObjectId commit, tree;
  bool has_parents = false;
  bool has_history = false;  ///< its parents are in the repository's own folder
  std::string missing{};     ///< why it is not to be had whole, or empty
};
FIELDS(KeptCommit, commit, tree, has_parents, has_history, missing)

struct RepositoryContents {
  std::vector<KeptCommit> commits;  ///< as they were asked for
  std::vector<ObjectId> objects;    ///< all of those that are to be had, each once, commit by commit
  std::vector<ObjectId> lacking;    ///< those of them that the repository's own folder does not have intact
  int near = -1;                    ///< where the first commit was found: 0 the own folder, 1 the first of the others
  bool is_damaged = false;          ///< there is something in the own folder that cannot be read
};
FIELDS(RepositoryContents, commits, objects, lacking, near, is_damaged)

struct ContentsRequest {
  std::string name;  ///< for messages
  std::vector<ObjectId> commits;
  std::string own_folder{};  ///< the repository's own object folder, whose objects are read and checked; or empty
};

/// Lists objects in worker processes; `object_folders` are searched behind the own one. Raises unsafe for trees beyond
/// the limits, source where a worker dies.
std::vector<RepositoryContents> list_contents(const std::vector<ContentsRequest>& requests,
                                              const std::vector<std::string>& object_folders, int jobs,
                                              Console& console);

}  // namespace torchpatch::source
