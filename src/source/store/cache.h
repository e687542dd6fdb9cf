// SPDX-License-Identifier: BSD-3-Clause
/// The bare repositories that torchpatch keeps, in the cache and in mirrors; git, `--mirror` and `du` work on each.
/// Cache: the directory of fetched repositories, its layout and locks. check_repositories() reads every object of some.
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

/// What is kept is referenced by "refs/torchpatch/<commit>", so that git's own tools keep it, too. A reference is
/// written last: the commit is there whole, without its history.
inline constexpr const char* kFetchedReferences = "refs/torchpatch/";

/// The file in a repository whose lock its writer holds.
inline constexpr const char* kRepositoryLock = "torchpatch.lock";

/// Returns the folder of repositories in the cache's directory or a mirror's: "<directory>/git".
std::string repositories_folder(const std::string& directory);
/// Returns where the repository of a URL (without url_problem) lies below it: ".../git/github.com/pytorch/pytorch.git".
std::string repository_path(const std::string& directory, const std::string& url);

/// Makes an empty bare repository, as `git init --bare` does, unless there is one, and makes one that is there fit for
/// git to work in: its configuration is written anew, for somebody else may have handed it over. That lets a server
/// that exports it give out any commit by its id. Returns its lock (Cache::lock): what is being made must not be taken
/// for what a dead run left. Raises environment, Interrupted; unsafe as git::refuse_traps, and if a link stands on the
/// way from `directory`, which the user named and which may be a link itself, to the repository.
UniqueFd make_bare_repository(const std::string& directory, const std::string& repository);
/// The same for several different ones; the locks are in the order of `repositories`, but taken in that of their paths,
/// as everyone does who takes more than one: two runs never wait for each other.
std::vector<UniqueFd> make_bare_repositories(const std::string& directory,
                                             const std::vector<std::string>& repositories);

/// Returns the repositories below a folder, whole or not, in bytewise order of their paths.
std::vector<std::string> find_bare_repositories(const std::string& folder);

/// Returns the path of the file that stands for a commit that is kept.
std::string reference_path(const std::string& repository, const ObjectId& commit);

/// Lets a reference stand for each commit. Raises environment.
void write_references(const std::string& repository, const std::vector<ObjectId>& commits);

/// Returns the commits without their parents, as the file "shallow" has them.
std::vector<ObjectId> shallow_commits(const std::string& repository);
/// Writes that file; there is none where there are no such commits. Raises environment.
void write_shallow_commits(const std::string& repository, const std::vector<ObjectId>& commits);

/// Returns the temporary files, locks and packs without an index that runs of ours or of git leave in a repository
/// where they are killed; all of them are left over where the repository's lock is held.
std::vector<std::string> left_over_files(const std::string& repository);

// The cache of fetched repositories: git/<host>/<path>.git below one directory, each a bare repository of its own, so
// that git itself, `--mirror` and `du` work on it.

class Cache {
 public:
  /// `directory`: "$XDG_CACHE_HOME/torchpatch"; nothing is made until it is needed.
  explicit Cache(std::string directory) : directory_(std::move(directory)) {}

  const std::string& directory() const { return directory_; }
  /// Returns the directory that holds the repositories.
  std::string repositories() const { return repositories_folder(directory_); }
  /// Returns where the repository of a URL (without url_problem) lies: ".../git/github.com/pytorch/pytorch.git".
  std::string repository_of(const std::string& url) const { return repository_path(directory_, url); }
  /// Returns where the objects of an archive with this digest lie: ".../archives/<digest>".
  std::string archive_repository(const Sha256& digest) const { return archives() + "/" + digest.hex(); }
  /// Returns the directory that holds what was read of archives.
  std::string archives() const { return directory_ + "/archives"; }
  /// Raises environment where a newer torchpatch has laid the cache out in another way, unsafe if what it keeps lies
  /// behind a link.
  void check_layout() const;
  /// Makes the directory, CACHEDIR.TAG (https://bford.info/cachedir/), and the file that says how the cache is laid
  /// out. Raises environment.
  void make() const;
  /// Makes the cache, and an empty bare repository in it (or in a temporary directory of ours) unless there is one, and
  /// returns its lock(). Raises as make_bare_repository.
  UniqueFd make_repository(const std::string& repository) const;
  /// Says that a run reads or writes: `cache gc` removes nothing as long as the result lives. No descriptor where there
  /// is no cache yet (or a mirror, from which nobody removes anything), or one that may not be written to (then nobody
  /// else removes anything either).
  UniqueFd enter() const;
  /// The same for the one that removes. No descriptor where runs are under way. Raises environment.
  UniqueFd try_enter_alone() const;
  /// Says that a run reads repositories: nobody empties one as long as the result lives. No descriptor as for enter().
  UniqueFd begin_reading() const;
  /// Runs `action` while nobody else reads; returns whether that could be. `reading` is what begin_reading() gave us:
  /// it is given up meanwhile, but nobody else has this chance then. Raises environment.
  bool try_while_unread(UniqueFd& reading, const std::function<void()>& action) const;
  /// Returns the commits that were fetched into a repository.
  static std::vector<ObjectId> fetched_commits(const std::string& repository);
  /// Notes a commit as fetched, without its parents. Raises environment.
  static void add_fetched(const std::string& repository, const ObjectId& commit);
  /// Removes everything that was fetched into a repository: git does not fetch over damaged objects. What others
  /// may read is emptied only by way of try_while_unread().
  static void empty_repository(const std::string& repository);
  /// Removes what a git that was killed left in a repository: locks, packs that are not whole. The caller holds lock().
  static void remove_leftovers(const std::string& repository);
  /// Waits until no other process writes to the repository, and keeps others away as long as the result lives.
  /// Raises environment, Interrupted.
  static UniqueFd lock(const std::string& repository);

 private:
  UniqueFd share(const char* lock) const;

  std::string directory_;
};

// Reads every object of repositories that are kept, and checks each against its id.

struct CheckedRepository {
  std::uint64_t objects = 0;          ///< that were read and are what they are called
  std::vector<std::string> problems;  ///< what is not, up to kMostProblems
};
FIELDS(CheckedRepository, objects, problems)

/// Most problems that are told of one repository.
inline constexpr std::size_t kMostProblems = 100;

/// Checks every object in packs and loose, and that every commit that is referenced is there whole. In worker
/// processes; where one dies of what it reads, that is a problem of the repository.
std::vector<CheckedRepository> check_repositories(const std::vector<std::string>& repositories, int jobs,
                                                  Console& console);

}  // namespace torchpatch::source
