// SPDX-License-Identifier: BSD-3-Clause
/// PinnedLookup: single paths of pinned trees, found through gitlinks by reading only the trees on the way: what
/// patches touch, without the rest of the closure. Only ever used inside a worker process; run_lookups() runs those.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "git/object.h"
#include "git/object_store.h"
#include "model/release.h"
#include "source/closure/object_source.h"
#include "source/closure/repository_tree.h"
#include "support/error.h"

namespace torchpatch::source {

/// Raised where an object of a pinned repository is in no folder.
class MissingObject : public Error {
 public:
  MissingObject(const PinnedRepository& repository, const std::string& reason);
  /// Of the repository.
  const ObjectId& commit() const { return commit_; }

 private:
  ObjectId commit_;
};

/// A repository of a release, and where its commit was found.
struct LocatedRepository {
  PinnedRepository pin;
  ObjectId tree;
  int store = -1;
};

class PinnedLookup {
 public:
  /// Both must outlive this.
  PinnedLookup(git::ObjectStore& store, const std::vector<MovedRepository>& moved) : store_(store), moved_(moved) {}

  /// Returns a repository of the release, its submodules at the commits of `overrides`, or nothing where there is none.
  /// Raises patch for an override that is for another gitlink. Lives as long as this. This and the functions below
  /// raise MissingObject (and remember the pin), source where an object is damaged, unsafe where a mode, a URL or
  /// .gitmodules is refused.
  const LocatedRepository* find_repository(const Release& release, const RepositoryPath& path,
                                           const std::vector<SubmoduleOverride>& overrides = {});
  /// Returns what stands at a path of the repository (a directory and a gitlink, too), or nothing.
  std::optional<PinnedEntry> find(const LocatedRepository& repository, const std::string& path);
  /// Returns the files, links and gitlinks below a directory, sorted; "" is the root.
  std::vector<PinnedEntry> list(const LocatedRepository& repository, const std::string& directory);
  /// Returns the content of a blob of the repository.
  const std::string& read_blob(const LocatedRepository& repository, const PinnedEntry& entry);

  const std::vector<MissingPin>& missing() const { return missing_; }
  /// The objects themselves, for what is no pin.
  git::ObjectStore& store() { return store_; }

 private:
  /// The component's commit, the repository, and the overrides on the way to it.
  using Key = std::tuple<ObjectId, RepositoryPath, std::vector<SubmoduleOverride>>;

  const LocatedRepository& open(const Key& key, PinnedRepository pin);
  const LocatedRepository* enter(const Key& key, const LocatedRepository& parent, const PinnedEntry& gitlink);
  git::Object read(const PinnedRepository& pin, int store, const ObjectId& id, git::ObjectType type);
  const std::vector<git::TreeEntry>& read_tree(const LocatedRepository& repository, const ObjectId& id);
  void list(const LocatedRepository& repository, const ObjectId& tree, const std::string& prefix,
            std::vector<PinnedEntry>& entries);

  git::ObjectStore& store_;
  const std::vector<MovedRepository>& moved_;
  std::map<Key, LocatedRepository> repositories_;
  std::map<ObjectId, std::vector<git::TreeEntry>> trees_;
  std::map<ObjectId, std::string> blobs_;
  std::vector<MissingPin> missing_;
};

// Looks into the pinned trees of many releases at once, in worker processes.

/// What a worker does with one item (a release): returns the bytes to send to the parent. Where it catches
/// MissingObject it can go on with the rest; the pin is asked for, and the item done again, all the same.
using LookupTask = std::function<std::string(PinnedLookup& lookup, std::size_t item)>;

struct LookupResult {
  std::string bytes;                ///< of the last run; empty where the task raised MissingObject
  std::vector<MissingPin> missing;  ///< what no folder had and nobody could bring, with all reasons
  std::vector<std::string> damage;  ///< of the folders, as far as it was met
};
FIELDS(LookupResult, bytes, missing, damage)

/// Runs `task` for each item and has `source` bring what is missing until nothing more comes. Returns the results in
/// order. Raises as run_workers; damaged repositories are warnings on `console`.
std::vector<LookupResult> run_lookups(std::size_t items, const LookupTask& task,
                                      const std::vector<MovedRepository>& moved, ObjectSource& source, int jobs,
                                      Console& console);

}  // namespace torchpatch::source
