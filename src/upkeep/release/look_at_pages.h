// SPDX-License-Identifier: BSD-3-Clause
/// What the pages of known issues say of a new release.
#pragma once

#include "model/catalog.h"
#include "model/release_draft.h"
#include "source/closure/pinned_lookup.h"

namespace torchpatch::upkeep {

/// Looks at each issue that affects a release: what its page cites of the nearest release before must be in the file
/// still, on whatever line, and what it says is absent must not have come. Raises as PinnedLookup, but for files that
/// are nowhere, which are left out.
PagesAtRelease look_at_pages(const Catalog& catalog, const Release& release, source::PinnedLookup& lookup);

}  // namespace torchpatch::upkeep
