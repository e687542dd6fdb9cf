// SPDX-License-Identifier: BSD-3-Clause
/// cache list, verify, gc: what is in the cache (or in a mirror folder, which is laid out in the same way), whether it
/// is sound, and what may go.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/catalog.h"
#include "model/keep.h"
#include "support/console.h"

namespace torchpatch::trees {

/// Lists the repositories and commits below `directory`, and which releases of the catalog need each. Raises
/// environment where a newer torchpatch has laid it out.
CacheReport list_cache(const std::string& directory, const Catalog& catalog, int jobs, Console& console);

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

}  // namespace torchpatch::trees
