// SPDX-License-Identifier: BSD-3-Clause
/// The cache of fetched repositories: git/<host>/<path>.git below one directory, each a bare repository of its own, so
/// that git itself, `--mirror` and `du` work on it.
#pragma once

#include <string>
#include <vector>

#include "source/bare_repository.h"
#include "support/file.h"
#include "support/object_id.h"

namespace torchpatch::source {

class Cache {
 public:
  /// `directory`: "$XDG_CACHE_HOME/torchpatch"; nothing is made until it is needed.
  explicit Cache(std::string directory) : directory_(std::move(directory)) {}

  /// Returns the directory that holds the repositories.
  std::string repositories() const { return repositories_folder(directory_); }
  /// Returns where the repository of a URL (without url_problem) lies: ".../git/github.com/pytorch/pytorch.git".
  std::string repository_of(const std::string& url) const { return repository_path(directory_, url); }
  /// Returns where the objects of an archive with this digest lie: ".../archives/<digest>".
  std::string archive_repository(const Sha256& digest) const { return archives() + "/" + digest.hex(); }
  /// Returns the directory that holds what was read of archives.
  std::string archives() const { return directory_ + "/archives"; }
  /// Raises environment where a newer torchpatch has laid the cache out in another way.
  void check_layout() const;
  /// Makes the directory, CACHEDIR.TAG (https://bford.info/cachedir/), and the file that says how the cache is laid
  /// out. Raises environment.
  void make() const;
  /// Makes the cache, and an empty bare repository in it unless there is one, and returns its lock(). Raises
  /// environment.
  UniqueFd make_repository(const std::string& repository) const;
  /// Says that a run reads or writes: `cache gc` removes nothing as long as the result lives. No descriptor where there
  /// is no cache yet (or a mirror, from which nobody removes anything), or one that may not be written to (then nobody
  /// else removes anything either).
  UniqueFd enter() const;
  /// The same for the one that removes. No descriptor where runs are under way. Raises environment.
  UniqueFd try_enter_alone() const;
  /// Returns the commits that were fetched into a repository.
  static std::vector<ObjectId> fetched_commits(const std::string& repository);
  /// Notes a commit as fetched, without its parents. Raises environment.
  static void add_fetched(const std::string& repository, const ObjectId& commit);
  /// Removes everything that was fetched into a repository: git does not fetch over damaged objects.
  static void empty_repository(const std::string& repository);
  /// Removes what a git that was killed left in a repository: locks, packs that are not whole. The caller holds lock().
  static void remove_leftovers(const std::string& repository);
  /// Waits until no other process writes to the repository, and keeps others away as long as the result lives.
  /// Raises environment, Interrupted.
  static UniqueFd lock(const std::string& repository);

 private:
  std::string directory_;
};

}  // namespace torchpatch::source
