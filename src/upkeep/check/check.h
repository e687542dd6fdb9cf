// SPDX-License-Identifier: BSD-3-Clause
/// Work on many releases at once that needs data alone.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "model/catalog.h"
#include "model/check.h"
#include "source/closure/object_source.h"
#include "source/closure/pinned_lookup.h"
#include "support/console.h"
#include "support/fields.h"

namespace torchpatch::upkeep {

/// Runs `task` for each item (a release) in worker processes, as run_lookups does with sources. Raises as run_workers.
std::vector<source::LookupResult> run_planning(std::size_t items, const std::function<std::string(std::size_t)>& task,
                                               int jobs);

// The cells of one release: what becomes of each issue on each board and image.

struct ReleaseCheck {
  std::vector<CheckCell> cells;  ///< by board, image and issue
  std::set<ObjectId> needed;     ///< commits that are nowhere, and without which cells are undecided
  CitationCheck citations;
};
FIELDS(ReleaseCheck, cells, needed, citations)

/// Plans every image of the boards that fits the release; with `lookup`, applies each chain of patches once to the
/// pinned files, and looks what upstream has. Raises as PinnedLookup, but for objects that are nowhere.
ReleaseCheck check_release(const Catalog& catalog, const Release& release, const std::vector<const Board*>& boards,
                           source::PinnedLookup* lookup);

// The whole matrix: every release, board and image, and what becomes of each issue there.

struct CheckOptions {
  std::vector<std::string> releases;  ///< empty = all of the catalog
  std::vector<std::string> boards;    ///< ids or aliases; empty = all
  int jobs = 1;
};

/// Checks the form of every patch, and release by release, in worker processes, what check_release says. `source`:
/// where the pinned files come from; null: the plans alone. Raises usage for a name that the catalog does not know;
/// source where objects are damaged.
CheckReport check(const Catalog& catalog, source::ObjectSource* source, const CheckOptions& options, Console& console);

}  // namespace torchpatch::upkeep
