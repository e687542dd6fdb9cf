// SPDX-License-Identifier: BSD-3-Clause
/// Packs commits without their history into bare repositories of a mirror, the cache or a bundle: which objects they
/// consist of (list_contents), packs of them (pack_objects), and repositories with exactly these (fill_repositories).
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "git/object_store.h"
#include "git/pack_writer.h"
#include "model/keep.h"
#include "source/closure/closure.h"
#include "support/console.h"
#include "support/digest.h"
#include "support/fields.h"

namespace torchpatch::source {

struct CommitObjects {
  std::string missing;             ///< why no folder has it whole; then the rest is of no use; or empty
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
  std::string missing{};     ///< why no folder has it whole, or empty
};
FIELDS(KeptCommit, commit, tree, has_parents, has_history, missing)

struct RepositoryContents {
  std::vector<KeptCommit> commits;  ///< as they were asked for
  std::vector<ObjectId> objects;    ///< all of those that are available, each once, commit by commit
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

/// The objects of one pack, in its order, each once.
struct PackRequest {
  std::vector<ObjectId> objects;
  int near = -1;     ///< folder to look in first
  std::string name;  ///< for messages: "github.com/pytorch/pytorch"
};

/// Writes the packs one after the other, in the order of `requests`: `open` returns what takes the bytes of a pack,
/// `close` is told that it has all of them. Equal requests give equal bytes, whatever the folders hold besides, and
/// whatever the number of jobs. Raises source where an object is missing or damaged, and what `open` and `close` raise.
void pack_objects(const std::vector<PackRequest>& requests, const std::vector<std::string>& object_folders, int jobs,
                  const std::function<git::PackWriter::Sink(std::size_t request)>& open,
                  const std::function<void(std::size_t request, git::WrittenPack pack)>& close, Console& console);

// Brings commits into the bare repositories of a mirror (or the cache), as one pack each time something is lacking.

struct FillOptions {
  std::string directory;                    ///< of the mirror; repositories lie in "<directory>/git"
  std::vector<std::string> object_folders;  ///< where to read from, besides the repositories themselves
  int jobs = 1;
  /// Each repository is written anew with the commits that are named, and no others.
  bool only_these = false;
};

/// Makes each repository hold its commits whole, without history, and every object intact: what is there already is
/// read and checked, what is lacking is packed. A repository with a damaged pack is written anew; commits of earlier
/// runs that cannot be made whole again lose their reference, with a warning. Packs and indexes come first, then
/// "shallow", references last: one that is killed at any time goes on with what is there the next time. Waits for
/// others who write to the same repositories. Raises source where an object is not found, environment. Returns the
/// commits that were asked for, how many objects these consist of together with what was there before, and how many
/// were added.
std::vector<MirroredRepository> fill_repositories(const std::vector<RepositoryCommits>& wanted,
                                                  const FillOptions& options, Console& console);

}  // namespace torchpatch::source
