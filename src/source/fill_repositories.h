// SPDX-License-Identifier: BSD-3-Clause
/// Brings commits into the bare repositories of a mirror (or the cache), as one pack each time something is lacking.
#pragma once

#include <string>
#include <vector>

#include "source/repository_contents.h"
#include "support/console.h"

namespace torchpatch::source {

struct FillOptions {
  std::string directory;                    ///< of the mirror; repositories lie in "<directory>/git"
  std::vector<std::string> object_folders;  ///< where to read from, besides the repositories themselves
  int jobs = 1;
  /// Each repository is written anew with the commits that are named, and no others.
  bool only_these = false;
};

struct FilledRepository {
  std::string url;
  std::string path;               ///< of the repository
  std::vector<ObjectId> commits;  ///< those that were asked for
  std::uint64_t objects = 0;      ///< that these commits consist of, together with what was there before
  std::uint64_t added = 0;        ///< that were not there
  std::uint64_t added_bytes = 0;  ///< size of the pack that they are in
};

/// Makes each repository hold its commits whole, without history, and every object intact: what is there already is
/// read and checked, what is lacking is packed. A repository with a damaged pack is written anew; commits of earlier
/// runs that cannot be made whole again lose their reference, with a warning. Packs and indexes come first, then
/// "shallow", references last: one that is killed at any time goes on with what is there the next time. Waits for
/// others who write to the same repositories. Raises source where an object is nowhere to be had, environment.
std::vector<FilledRepository> fill_repositories(const std::vector<RepositoryCommits>& wanted,
                                                const FillOptions& options, Console& console);

}  // namespace torchpatch::source
