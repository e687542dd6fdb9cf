// SPDX-License-Identifier: BSD-3-Clause
/// Which image, which Python, and whether they go together with the release.
#pragma once

#include <string>
#include <vector>

#include "model/plan.h"

namespace torchpatch::plan {

/// An image of a board as a build for a release would find it.
struct ImageChoice {
  const Image* image = nullptr;  ///< owned by the catalog
  std::string python;            ///< minor version
  Facts facts;
  std::vector<std::string> misfits;   ///< why it does not go together with the release; empty where it does
  std::vector<std::string> warnings;  ///< about the choice
};

/// Returns the image of that name. Raises usage with the nearest names where there is none.
const Image& named_image(const Board& board, const std::string& name);

/// Returns the image called `name`; if that is empty, the board's default for this release where it fits, else the
/// first that fits. Raises usage: an unknown image, with the nearest names; no image (or not the one named) that fits,
/// unless `options.force`; a wrong --set.
ImageChoice choose_image(const Release& release, const Board& board, const std::string& name,
                         const PlanOptions& options, const std::vector<Component>& components);

}  // namespace torchpatch::plan
