// SPDX-License-Identifier: BSD-3-Clause
/// How much a directory holds.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/catalog.h"
#include "model/keep.h"
#include "support/console.h"

namespace torchpatch::ops {

/// Returns the sizes of all regular files in and below a directory, in bytes; links are not followed. What cannot be
/// read, or goes while it is looked at, counts nothing.
std::uint64_t disk_use(const std::string& path);

// Which commits the releases of a catalog need, as far as folders of objects tell.

struct NeededCommits {
  std::map<ObjectId, std::set<Version>> releases;  ///< commit → releases that need it
  std::vector<std::string> damage;                 ///< commits that are there but cannot be walked from, and why
};

/// Walks from the pins of every release, and from the commits of its overrides, through the submodules.
NeededCommits find_needed_commits(const Catalog& catalog, const std::vector<std::string>& object_folders, int jobs,
                                  Console& console);

// cache list, verify, gc: what is in the cache (or in a mirror folder, which is laid out in the same way), whether it
// is sound, and what may go.

/// Lists the repositories and commits below `directory`, and which releases of the catalog need each. Raises
/// environment where a newer torchpatch has laid it out.
CacheReport list_cache(const std::string& directory, const Catalog& catalog, int jobs, Console& console);

/// The same for whom the cache is locked for already.
CacheReport list_repositories(const std::string& directory, const Catalog& catalog, int jobs, Console& console);

/// Reads and checks every object.
CacheCheck verify_cache(const std::string& directory, int jobs, Console& console);

struct CollectOptions {
  bool all = false;                 ///< everything goes
  bool damaged = false;             ///< so do repositories with something damaged in them
  std::optional<int> older_than{};  ///< days; so do commits that no run has used for so long
  bool dry_run = false;             ///< only say it
  int jobs = 1;
  std::int64_t now = 0;  ///< seconds since 1970
};

/// Removes commits that no release of the catalog needs, what the options say, and what dead runs have left. Raises
/// environment where other runs use the cache.
CollectReport collect_cache(const std::string& directory, const Catalog& catalog, const CollectOptions& options,
                            Console& console);

}  // namespace torchpatch::ops
