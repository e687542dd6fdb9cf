// SPDX-License-Identifier: BSD-3-Clause
/// Where each patch of the catalog is applied: which release, board and image get it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/plan.h"

namespace torchpatch::ops {

/// A plan that has a patch. All is owned by the catalog.
struct PatchPlace {
  const Release* release = nullptr;
  const Board* board = nullptr;
  const Image* image = nullptr;
  std::string fix;  ///< that has to be asked for (--with), or empty
};

/// SHA-256 of a patch → the plans that apply it with a certificate, newest release first, then by board and image. One
/// that no plan has by itself is looked for with `--with` of its fixes.
using PatchPlaces = std::map<Sha256, std::vector<PatchPlace>>;

/// Plans every release for every board and image, in `jobs` worker processes. Raises as make_plan and run_workers.
PatchPlaces patch_places(const Catalog& catalog, int jobs);

/// Returns the plan of a place.
Plan plan_at(const PatchPlace& place, const Catalog& catalog);

}  // namespace torchpatch::ops
