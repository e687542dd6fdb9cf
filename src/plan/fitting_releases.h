// SPDX-License-Identifier: BSD-3-Clause
/// Which releases go together with a board and its images.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/plan.h"

namespace torchpatch::plan {

/// Returns the releases that fit an image of the board, oldest first.
std::vector<FittingRelease> fitting_releases(const Catalog& catalog, const Board& board);

/// Sets is_certified of each.
void look_at_certificates(const Catalog& catalog, std::vector<FittingRelease>& fitting);

/// Returns "releases that fit board 'tx2': 1.0.0 to 1.10.2", of its image called `image` alone unless that is empty.
/// Raises usage: an unknown image.
std::string fitting_text(const Catalog& catalog, const Board& board, const std::string& image);

/// Returns the newest release that goes together with the board, or with its image called `image`, has the components
/// that are asked for, and whose plan is certified; null where there is none. No pre-release counts; where the catalog
/// has stand-ins for PyTorch, they alone do. Raises as make_plan does.
const Release* newest_release(const Catalog& catalog, const std::string& board, const std::string& image,
                              const PlanOptions& options);

}  // namespace torchpatch::plan
