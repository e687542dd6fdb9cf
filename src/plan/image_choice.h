// SPDX-License-Identifier: BSD-3-Clause
/// Which image, Python and build host go with a release and a board (choose_image, plan_host), and which releases fit a
/// board (fitting_releases).
#pragma once

#include <string>
#include <vector>

#include "model/plan.h"

namespace torchpatch::plan {

/// Where options.host names one, sets plan.host (the named image, else the first that can build for the board), lets it
/// decide the facts of the build (gcc, cmake, memory_mib; glibc unless `cross` is true), and warns of what differs.
/// Needs the board's image, Python and facts in the plan.
///
/// Raises usage: an unknown board or image, with the nearest names; no image (or not the one named) that can build for
/// the board, unless options.force: another instruction set without `cross`, a glibc newer than the board's without
/// `cross` (its symbols are not there: GNU libc is compatible upwards only), without the Python or the CUDA of the
/// board's image.
void plan_host(const Catalog& catalog, Plan& plan);

// Which image, which Python, and whether they go together with the release.

/// An image of a board as a build for a release would find it.
struct ImageChoice {
  const Image* image = nullptr;  ///< owned by the catalog
  std::string python;            ///< minor version
  Facts facts;
  std::vector<std::string> misfits;   ///< why it does not go together with the release; empty where it does
  std::vector<std::string> warnings;  ///< about the image, whether it was named or not
};

/// Returns the image of that name. Raises usage with the nearest names where there is none.
const Image& named_image(const Board& board, const std::string& name);

/// Returns the image that the board's file names for this release, or null.
const Image* default_image(const Release& release, const Board& board);

/// Returns the image called `name`; if that is empty, the board's default for this release where it fits, else the
/// first that fits. Raises usage: an unknown image, with the nearest names; no image (or not the one named) that fits,
/// unless `options.force`; a wrong --set.
ImageChoice choose_image(const Release& release, const Board& board, const std::string& name,
                         const PlanOptions& options, const std::vector<Component>& components);

/// Returns the images that the release goes together with, in the order in which choose_image takes them; of the one
/// called `name` alone unless that is empty. Raises usage: an unknown image, a wrong --set.
std::vector<const Image*> fitting_images(const Release& release, const Board& board, const std::string& name,
                                         const PlanOptions& options);

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
