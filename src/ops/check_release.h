// SPDX-License-Identifier: BSD-3-Clause
/// The cells of one release: what becomes of each issue on each board and image.
#pragma once

#include <set>
#include <vector>

#include "emit/check/check_report.h"
#include "model/catalog.h"
#include "source/pinned_lookup.h"

namespace torchpatch::ops {

struct ReleaseCheck {
  std::vector<emit::CheckCell> cells;  ///< by board, image and issue
  std::set<ObjectId> needed;           ///< commits that are nowhere, and without which cells are undecided
};

/// Plans every image of the boards that fits the release; with `lookup`, applies each chain of patches once to the
/// pinned files, and looks what upstream has. Raises as PinnedLookup, but for objects that are nowhere.
ReleaseCheck check_release(const Catalog& catalog, const Release& release, const std::vector<const Board*>& boards,
                           source::PinnedLookup* lookup);

}  // namespace torchpatch::ops
