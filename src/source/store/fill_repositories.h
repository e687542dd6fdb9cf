// SPDX-License-Identifier: BSD-3-Clause
/// Packs commits without history into bare repositories of a mirror, the cache or a bundle: the objects they consist of
/// (list_contents), packs of them (pack_objects), and repositories with exactly these (fill_repositories).
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
  std::string missing;            ///< why no folder has it whole, or empty
  std::vector<ObjectId> objects;  ///< each once: the commit, its trees and blobs in the order of their paths; if a tree
                                  ///< is missing, those before it
  std::vector<ObjectId> gitlinks;  ///< commits of submodules, each once
  ObjectId tree;
  std::vector<ObjectId> parents;
};

/// Lists the objects of `commit`; commits and trees are read, blobs only looked up. `near` as in ObjectStore::read.
/// Raises unsafe for a tree that is too deep or too large (a million entries).
CommitObjects list_commit_objects(git::ObjectStore& store, const ObjectId& commit, int near);

// The objects of each repository of closures.

/// The commits of one repository that closures need.
struct RepositoryCommits {
  std::string url;                ///< as recorded
  std::vector<ObjectId> commits;  ///< in bytewise order
  std::string path{};             ///< of the repository; empty: a mirror's path for that URL
};

/// Returns the repositories of all closures, without duplicates, in order of their mirror paths.
std::vector<RepositoryCommits> repositories_of(const std::vector<Closure>& closures);

struct KeptCommit {
  ObjectId commit, tree;
  bool has_parents = false;
  bool has_history = false;  ///< its parents are in the repository's own object folder
  std::string missing{};     ///< why no folder has all of it, or empty
};
FIELDS(KeptCommit, commit, tree, has_parents, has_history, missing)

struct RepositoryContents {
  std::vector<KeptCommit> commits;  ///< in the order requested
  std::vector<ObjectId> objects;    ///< all available, no duplicates, commit by commit
  std::vector<ObjectId> lacking;    ///< those not intact in the repository's own object folder
  int near = -1;                    ///< folder of the first commit: 0 its own, 1 the first of the others
  bool is_damaged = false;          ///< its own object folder has something unreadable
};
FIELDS(RepositoryContents, commits, objects, lacking, near, is_damaged)

struct ContentsRequest {
  std::string name;  ///< for messages
  std::vector<ObjectId> commits;
  std::string own_folder{};  ///< the repository's own object folder, whose objects are read and checked; or empty
  bool is_partial = false;   ///< also list the objects of commits that lack files
};

/// Lists objects in worker processes; `object_folders` are searched after the own one. Raises unsafe for trees over the
/// limits, source if a worker dies.
std::vector<RepositoryContents> list_contents(const std::vector<ContentsRequest>& requests,
                                              const std::vector<std::string>& object_folders, int jobs,
                                              Console& console);

/// The objects of one pack, in order, without duplicates.
struct PackRequest {
  std::vector<ObjectId> objects;
  int near = -1;     ///< folder to search first
  std::string name;  ///< for messages: "github.com/pytorch/pytorch"
};

/// Writes the packs one after another, in the order of `requests`: `open` returns the sink for a pack, `close` is
/// called when it is complete. Equal requests give equal bytes, whatever else the folders contain, and for any number
/// of jobs. Raises source if an object is missing or damaged, and what `open` and `close` raise.
void pack_objects(const std::vector<PackRequest>& requests, const std::vector<std::string>& object_folders, int jobs,
                  const std::function<git::PackWriter::Sink(std::size_t request)>& open,
                  const std::function<void(std::size_t request, git::WrittenPack pack)>& close, Console& console);

// Brings commits into bare repositories of a mirror (or the cache), as one pack whenever something is missing.

struct FillOptions {
  std::string directory;                    ///< of the mirror; repositories are in "<directory>/git"
  std::vector<std::string> object_folders;  ///< to read from, besides the repositories themselves
  int jobs = 1;
  /// Rewrite each repository with only the named commits.
  bool only_these = false;
  /// Commits may lack files; then they have no reference, since a reference means that all of a commit is there.
  bool is_partial = false;
};

/// Makes each repository contain its commits completely, without history, with every object intact: existing objects
/// are read and checked, missing ones are packed. A repository with a damaged pack is rewritten; earlier commits that
/// cannot be repaired lose their reference, with a warning. Packs and indexes are written first, then "shallow", and
/// references last, so that a killed run can be continued at any point. Waits for other writers of the same
/// repositories. Raises source if an object is not found, environment. Returns the requested commits, the number of
/// objects of these and earlier ones, and how many were added.
std::vector<MirroredRepository> fill_repositories(const std::vector<RepositoryCommits>& wanted,
                                                  const FillOptions& options, Console& console);

}  // namespace torchpatch::source
