// SPDX-License-Identifier: BSD-3-Clause
/// PinnedLookup: finds single paths of pinned trees through gitlinks, reading only the trees on the way: what patches
/// touch, without the rest of the closure. Use it only in worker processes; run_lookups() starts them.
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

/// Raised if an object of a pinned repository is in no folder.
class MissingObject : public Error {
 public:
  MissingObject(const PinnedRepository& repository, const std::string& reason);
  /// Returns the repository's commit.
  const ObjectId& commit() const { return commit_; }

 private:
  ObjectId commit_;
};

/// A repository of a release, and the folder with its commit.
struct LocatedRepository {
  PinnedRepository pin;
  ObjectId tree;
  int store = -1;
};

class PinnedLookup {
 public:
  /// Both must outlive this.
  PinnedLookup(git::ObjectStore& store, const std::vector<MovedRepository>& moved) : store_(store), moved_(moved) {}

  /// Returns a repository of the release, with submodules at the commits of `overrides`, or null if there is none.
  /// Raises patch if an override is for another gitlink. Valid as long as this. This and the functions below raise
  /// MissingObject (and record the pin), source if an object is damaged, unsafe if a mode, a URL or .gitmodules is
  /// refused.
  const LocatedRepository* find_repository(const Release& release, const RepositoryPath& path,
                                           const std::vector<SubmoduleOverride>& overrides = {});
  /// Returns the entry at a path of the repository (directories and gitlinks too), or nothing.
  std::optional<PinnedEntry> find(const LocatedRepository& repository, const std::string& path);
  /// Returns the files, links and gitlinks below a directory, sorted; "" is the root.
  std::vector<PinnedEntry> list(const LocatedRepository& repository, const std::string& directory);
  /// Returns the content of a blob of the repository.
  const std::string& read_blob(const LocatedRepository& repository, const PinnedEntry& entry);

  const std::vector<MissingPin>& missing() const { return missing_; }
  /// The objects, for lookups outside the pins.
  git::ObjectStore& store() { return store_; }

 private:
  /// The component's commit, the repository, and the overrides that apply to it.
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

// Searches the pinned trees of many releases, in worker processes.

/// Processes one item (a release) in a worker; returns the bytes for the parent. It may catch MissingObject to continue
/// with the rest; the pin is still requested and the item repeated.
using LookupTask = std::function<std::string(PinnedLookup& lookup, std::size_t item)>;

struct LookupResult {
  std::string bytes;                ///< of the last run; empty if the task raised MissingObject
  std::vector<MissingPin> missing;  ///< not in any folder and not brought, with all reasons
  std::vector<std::string> damage;  ///< of the folders, as far as noticed
};
FIELDS(LookupResult, bytes, missing, damage)

/// Runs `task` for each item, and repeats while `source` brings missing objects. Returns the results in order. Raises
/// as run_workers; damaged repositories are warnings on `console`.
std::vector<LookupResult> run_lookups(std::size_t items, const LookupTask& task,
                                      const std::vector<MovedRepository>& moved, ObjectSource& source, int jobs,
                                      Console& console);

}  // namespace torchpatch::source
