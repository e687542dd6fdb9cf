// SPDX-License-Identifier: BSD-3-Clause
/// The cells of one release: what becomes of each issue on each board and image.
#pragma once

#include <vector>

#include "emit/check_report.h"
#include "model/catalog.h"
#include "source/pinned_lookup.h"

namespace torchpatch::ops {

/// Plans every image of the boards that fits the release; with `lookup`, applies each chain of patches once to the
/// pinned files, and looks what upstream has. Returns the cells by board, image and issue. An object that is nowhere
/// leaves its cells undecided. Raises else as PinnedLookup.
std::vector<emit::CheckCell> check_release(const Catalog& catalog, const Release& release,
                                           const std::vector<const Board*>& boards, source::PinnedLookup* lookup);

}  // namespace torchpatch::ops
