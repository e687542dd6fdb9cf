// SPDX-License-Identifier: BSD-3-Clause
/// check: the whole matrix of releases, boards and images, and what becomes of each issue there (check); patchsets that
/// end before the issues that they answer (find_unexplained_ends).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/catalog.h"
#include "model/check.h"
#include "source/closure/object_source.h"
#include "source/closure/pinned_lookup.h"
#include "support/console.h"
#include "support/findings.h"

namespace torchpatch::upkeep {

/// Runs `task`, which needs data alone, for each item (a release) in worker processes, as run_lookups does with
/// sources. Raises as run_workers.
std::vector<source::LookupResult> run_planning(std::size_t items, const std::function<std::string(std::size_t)>& task,
                                               int jobs);

struct CheckOptions {
  std::vector<std::string> releases;  ///< empty = all of the catalog
  std::vector<std::string> boards;    ///< ids or aliases; empty = all
  int jobs = 1;
};

/// Checks the form of every patch, and release by release, in worker processes: plans every image of the boards that
/// fits it; with `source`, where the pinned files come from, applies each chain of patches once to them, and looks what
/// upstream has. Raises usage for a name that the catalog does not know; source where objects are damaged.
CheckReport check(const Catalog& catalog, source::ObjectSource* source, const CheckOptions& options, Console& console);

/// Returns the first issue that a patchset answers and that affects both releases, by its ranges and by its condition
/// as far as the release alone decides that; or null.
const Issue* issue_that_goes_on(const Catalog& catalog, const std::string& patchset, const Version& from,
                                const Version& to);

/// Returns a finding for each variant without a reason in `ends` that is made for a release, while none is for the next
/// release of the catalog, although an issue that the patchset answers affects both.
std::vector<Finding> find_unexplained_ends(const Catalog& catalog);

}  // namespace torchpatch::upkeep
