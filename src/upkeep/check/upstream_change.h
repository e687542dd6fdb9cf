// SPDX-License-Identifier: BSD-3-Clause
/// Which commit of upstream moved a patch's lines (internal).
#pragma once

#include <string>

#include "model/catalog.h"
#include "source/closure/pinned_lookup.h"
#include "trees/prepare/patch_chains.h"

namespace torchpatch::upkeep {

/// Returns "; upstream changed it in 14dcdc4c35b2 (its subject)" for a chain whose patch does not fit a file of the
/// release: the first commit that it does not fit, on the way from the nearest release whose file it was made for.
/// Nothing where no such release, or not the history in between, is at hand.
std::string upstream_change_text(const Catalog& catalog, const Release& release, const trees::PatchChain& chain,
                                 const trees::ChainOutcome& outcome, source::PinnedLookup& lookup);

}  // namespace torchpatch::upkeep
