// SPDX-License-Identifier: BSD-3-Clause
/// The planner: pure and total.
#pragma once

#include <string>

#include "model/plan.h"

namespace torchpatch::plan {

/// Returns the plan for a release, a board and an image (empty = the board's default for this release). Every issue of
/// the catalog is in it. Raises usage: unknown or partial version, unknown board, image, fix or setting (each with the
/// nearest names); a board and a version that cannot go together (Python or CUDA of every image outside the release's
/// bounds), and a host that cannot build for the board, with the reason, unless options.force. Raises patch where two
/// fixes override one submodule differently. The result points into `catalog`.
Plan make_plan(const Catalog& catalog, const std::string& version, const std::string& board, const std::string& image,
               const PlanOptions& options);

}  // namespace torchpatch::plan
