// SPDX-License-Identifier: BSD-3-Clause
/// The image, Python and build host for a release and a board (choose_image, plan_host), and the releases that a board
/// supports (fitting_releases).
#pragma once

#include <string>
#include <vector>

#include "model/plan.h"

namespace torchpatch::plan {

/// If options.host is set, sets plan.host (the named image, else the first that can build for the board), takes the
/// build's facts from it (gcc, cmake, memory_mib; glibc unless `cross` is true), and warns about differences. Needs the
/// plan's image, Python and facts.
///
/// Raises usage: an unknown board or image, with the nearest names; no image (or not the named one) that can build for
/// the board, unless options.force: another architecture without `cross`, a glibc newer than the board's without
/// `cross` (GNU libc is only upward compatible, so symbols would be missing), without the Python or CUDA of the board's
/// image.
void plan_host(const Catalog& catalog, Plan& plan);

// The image and Python, and whether they match the release.

/// An image of a board, as seen by a build of a release.
struct ImageChoice {
  const Image* image = nullptr;  ///< owned by the catalog
  std::string python;            ///< minor version
  Facts facts;
  std::vector<std::string> misfits;   ///< why it does not match the release; empty if it does
  std::vector<std::string> warnings;  ///< about the image, named or not
};

/// Returns the image of that name. Raises usage with the nearest names if there is none.
const Image& named_image(const Board& board, const std::string& name);

/// Returns the image in the board's file for this release, or null.
const Image* default_image(const Release& release, const Board& board);

/// Returns the image called `name`; if that is empty, the board's default for this release if it matches, else the
/// first that matches. Raises usage: an unknown image, with the nearest names; no matching image (or not the named
/// one), unless `options.force`; an invalid --set.
ImageChoice choose_image(const Release& release, const Board& board, const std::string& name,
                         const PlanOptions& options, const std::vector<Component>& components);

/// Returns the images that match the release, in the order in which choose_image prefers them; only the one called
/// `name` unless that is empty. Raises usage: an unknown image, an invalid --set.
std::vector<const Image*> fitting_images(const Release& release, const Board& board, const std::string& name,
                                         const PlanOptions& options);

/// Returns the releases that match an image of the board, oldest first.
std::vector<FittingRelease> fitting_releases(const Catalog& catalog, const Board& board);

/// Sets is_certified of each.
void look_at_certificates(const Catalog& catalog, std::vector<FittingRelease>& fitting);

/// Returns "releases that fit board 'tx2': 1.0.0 to 1.10.2", only for its image called `image` unless that is empty.
/// Raises usage: an unknown image.
std::string fitting_text(const Catalog& catalog, const Board& board, const std::string& image);

/// Returns the newest release that matches the board, or its image called `image`, has the requested components, and
/// has a certified plan; null if there is none. Pre-releases are ignored; if the catalog has stand-ins for PyTorch,
/// only those count. Raises as make_plan.
const Release* newest_release(const Catalog& catalog, const std::string& board, const std::string& image,
                              const PlanOptions& options);

}  // namespace torchpatch::plan
