// SPDX-License-Identifier: BSD-3-Clause
/// Packs objects out of folders that nobody vouches for: worker processes read, check and compress them, the parent
/// writes them one after the other.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "git/pack_writer.h"
#include "source/closure/repository_contents.h"
#include "support/console.h"
#include "support/object_id.h"

namespace torchpatch::source {

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
