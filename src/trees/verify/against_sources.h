// SPDX-License-Identifier: BSD-3-Clause
/// verify --mirror: which files are not those that the plan makes of the pinned commits, whatever the tree's record
/// says.
#pragma once

#include <vector>

#include "model/catalog.h"
#include "source/closure/object_source.h"
#include "trees/verify/verify.h"

namespace torchpatch::trees {

/// Adds what differs from the tree that the catalog's plan of the manifest gives, read from `source`: changed, mode,
/// type, missing, extra; what is in `differences` already is not said twice. Where no plan has the manifest's options
/// nothing is added. Raises source where a pinned commit is nowhere, patch as the engine does.
void compare_with_sources(const ScannedTree& tree, const Catalog& catalog, source::ObjectSource& source, int jobs,
                          Console& console, std::vector<Difference>& differences);

}  // namespace torchpatch::trees
