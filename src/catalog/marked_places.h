// SPDX-License-Identifier: BSD-3-Clause
/// Places of data files that a person has yet to fill: what `board new`, `issue new` and `patch new` mark.
#pragma once

#include <string>
#include <vector>

#include "catalog/load_catalog.h"
#include "support/error.h"

namespace torchpatch::catalog {

/// What marks such a place; ": " and what belongs there follow.
inline constexpr const char* kMarker = "FILL-IN";

/// Returns the findings of loading the layers with one for each marked place of boards, issues and patchsets, which
/// takes the place of all else that was found in its line; sorted by file and line. Raises environment.
std::vector<Finding> with_marked_places(const std::vector<Layer>& layers, std::vector<Finding> findings);

}  // namespace torchpatch::catalog
