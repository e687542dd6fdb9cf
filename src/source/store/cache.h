// SPDX-License-Identifier: BSD-3-Clause
/// The bare repositories that torchpatch keeps, in the cache and in mirrors; git, `--mirror` and `du` work on each.
/// Cache: the directory of fetched repositories, its layout and locks. check_repositories() checks every object.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "support/console.h"
#include "support/digest.h"
#include "support/fields.h"
#include "support/file.h"

namespace torchpatch::source {

/// Kept commits are referenced by "refs/torchpatch/<commit>", so that git's own tools keep them too. References are
/// written last: a referenced commit is complete, without its history.
inline constexpr const char* kFetchedReferences = "refs/torchpatch/";

/// The file in a repository that its writer locks.
inline constexpr const char* kRepositoryLock = "torchpatch.lock";

/// Returns the folder of repositories in a cache or mirror: "<directory>/git".
std::string repositories_folder(const std::string& directory);
/// Returns the path of a URL's repository below it: ".../git/github.com/pytorch/pytorch.git".
std::string repository_path(const std::string& directory, const std::string& url);

/// Creates an empty bare repository, as `git init --bare` does, or makes an existing one safe for git to work in: its
/// configuration is rewritten, since it may come from someone else. It allows servers to serve any commit by id.
/// Returns its lock (Cache::lock), so that other runs do not take it for a left-over. Raises environment, Interrupted;
/// unsafe as git::refuse_traps, and if there is a link on the path from `directory` (which itself may be one) to the
/// repository.
UniqueFd make_bare_repository(const std::string& directory, const std::string& repository);
/// The same for several different ones. Locks are returned in the order of `repositories` but taken in order of path,
/// as everywhere, so that two runs never wait for each other.
std::vector<UniqueFd> make_bare_repositories(const std::string& directory,
                                             const std::vector<std::string>& repositories);

/// Returns the repositories below a folder, complete or not, in bytewise order of their paths.
std::vector<std::string> find_bare_repositories(const std::string& folder);

/// Returns the path of the reference of a kept commit.
std::string reference_path(const std::string& repository, const ObjectId& commit);

/// Writes a reference for each commit. Raises environment.
void write_references(const std::string& repository, const std::vector<ObjectId>& commits);

/// Returns the commits without parents, as listed in the file "shallow".
std::vector<ObjectId> shallow_commits(const std::string& repository);
/// Writes that file, or removes it if there are no such commits. Raises environment.
void write_shallow_commits(const std::string& repository, const std::vector<ObjectId>& commits);

/// Returns the temporary files, locks and packs without an index that killed runs of ours or of git left in a
/// repository. The caller must hold the repository's lock; otherwise they may be in use.
std::vector<std::string> left_over_files(const std::string& repository);

// The cache of fetched repositories: git/<host>/<path>.git below one directory, each a separate bare repository, so
// that git, `--mirror` and `du` work on it.

class Cache {
 public:
  /// `directory`: "$XDG_CACHE_HOME/torchpatch"; nothing is created until it is needed.
  explicit Cache(std::string directory) : directory_(std::move(directory)) {}

  const std::string& directory() const { return directory_; }
  /// Returns the directory of the repositories.
  std::string repositories() const { return repositories_folder(directory_); }
  /// Returns the path of a URL's repository: ".../git/github.com/pytorch/pytorch.git".
  std::string repository_of(const std::string& url) const { return repository_path(directory_, url); }
  /// Returns the path of an archive's objects, by its digest: ".../archives/<digest>".
  std::string archive_repository(const Sha256& digest) const { return archives() + "/" + digest.hex(); }
  /// Returns the directory of the archives' objects.
  std::string archives() const { return directory_ + "/archives"; }
  /// Raises environment if a newer torchpatch changed the layout, unsafe if the contents are behind a link.
  void check_layout() const;
  /// Creates the directory, CACHEDIR.TAG (https://bford.info/cachedir/), and the file with the layout version. Raises
  /// environment.
  void make() const;
  /// Creates the cache, and an empty bare repository in it (or in a temporary directory of ours) unless there is one;
  /// returns its lock(). Raises as make_bare_repository.
  UniqueFd make_repository(const std::string& repository) const;
  /// Registers a reader or writer: `cache gc` removes nothing during the lifetime of the result. Returns no descriptor
  /// if there is no cache yet (or in a mirror, which is never collected), or if it is not writable (so others cannot
  /// remove anything either).
  UniqueFd enter() const;
  /// The same for the run that removes. Returns no descriptor while other runs are active. Raises environment.
  UniqueFd try_enter_alone() const;
  /// Registers a reader of repositories: nobody empties one during the lifetime of the result. Otherwise as enter().
  UniqueFd begin_reading() const;
  /// Runs `action` while nobody else reads; returns whether that was possible. Gives up `reading`, our begin_reading(),
  /// in the meantime, but nobody else can empty repositories then. Raises environment.
  bool try_while_unread(UniqueFd& reading, const std::function<void()>& action) const;
  /// Returns the commits fetched into a repository.
  static std::vector<ObjectId> fetched_commits(const std::string& repository);
  /// Records a commit as fetched, without its parents. Raises environment.
  static void add_fetched(const std::string& repository, const ObjectId& commit);
  /// Removes everything fetched into a repository: git does not fetch over damaged objects. If others may read it, call
  /// it only in try_while_unread().
  static void empty_repository(const std::string& repository);
  /// Removes what a killed git left in a repository: locks and incomplete packs. The caller must hold lock().
  static void remove_leftovers(const std::string& repository);
  /// Waits until no other process writes to the repository, and blocks others during the lifetime of the result. Raises
  /// environment, Interrupted.
  static UniqueFd lock(const std::string& repository);

 private:
  UniqueFd share(const char* lock) const;

  std::string directory_;
};

// Checks every object of kept repositories against its id.

struct CheckedRepository {
  std::uint64_t objects = 0;          ///< read and intact
  std::vector<std::string> problems;  ///< up to kMostProblems
};
FIELDS(CheckedRepository, objects, problems)

/// Limit of reported problems per repository.
inline constexpr std::size_t kMostProblems = 100;

/// Checks every packed and loose object, and that every referenced commit is complete. Runs in worker processes; if one
/// dies, that is a problem of its repository.
std::vector<CheckedRepository> check_repositories(const std::vector<std::string>& repositories, int jobs,
                                                  Console& console);

}  // namespace torchpatch::source
