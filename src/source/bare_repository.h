// SPDX-License-Identifier: BSD-3-Clause
/// The bare repositories that torchpatch keeps, in the cache and in mirrors: git, `--mirror` and `du` work on each.
#pragma once

#include <string>
#include <vector>

#include "support/file.h"
#include "support/object_id.h"

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

/// Makes an empty bare repository, as `git init --bare` does, unless there is one. Its configuration lets a server that
/// exports it give out any commit by its id. Returns its lock (Cache::lock): what is being made must not be taken for
/// what a dead run left. Raises environment, Interrupted.
UniqueFd make_bare_repository(const std::string& repository);
/// Makes the folders of an empty repository that are not there.
void make_repository_folders(const std::string& repository);

/// Returns the repositories below a folder, whole or not, in bytewise order of their paths.
std::vector<std::string> find_bare_repositories(const std::string& folder);

/// Returns the path of the file that stands for a commit that is kept.
std::string reference_path(const std::string& repository, const ObjectId& commit);

/// Lets a reference stand for each commit. Raises environment.
void write_references(const std::string& repository, const std::vector<ObjectId>& commits);

/// Returns the commits without their parents, as the file "shallow" has them.
std::vector<ObjectId> shallow_commits(const std::string& repository);
/// Writes that file; there is none where there are no such commits. Raises environment.
void write_shallow_commits(const std::string& repository, std::vector<ObjectId> commits);

/// Returns the temporary files, locks and packs without an index that runs of ours or of git leave in a repository
/// where they are killed; all of them are left over where the repository's lock is held.
std::vector<std::string> left_over_files(const std::string& repository);

}  // namespace torchpatch::source
