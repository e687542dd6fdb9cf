// SPDX-License-Identifier: BSD-3-Clause
/// Looks into the pinned trees of many releases at once, in worker processes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "source/object_source.h"
#include "source/pinned_lookup.h"

namespace torchpatch::source {

/// What a worker does with one item (a release): returns the bytes to send to the parent. Where it catches
/// MissingObject it can go on with the rest; the pin is asked for, and the item done again, all the same.
using LookupTask = std::function<std::string(PinnedLookup& lookup, std::size_t item)>;

struct LookupResult {
  std::string bytes;                ///< of the last run; empty where the task raised MissingObject
  std::vector<MissingPin> missing;  ///< what no folder had and nobody could bring, with all reasons
};

/// Runs `task` for each item and has `source` bring what is missing until nothing more comes. Returns the results in
/// order. Raises as run_workers; damaged repositories are warnings on `console`.
std::vector<LookupResult> run_lookups(std::size_t items, const LookupTask& task,
                                      const std::vector<MovedRepository>& moved, ObjectSource& source, int jobs,
                                      Console& console);

}  // namespace torchpatch::source
