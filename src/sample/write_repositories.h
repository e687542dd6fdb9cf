// SPDX-License-Identifier: BSD-3-Clause
/// The embedded upstream: real git repositories that stand in for PyTorch's where those are not at hand.
///
/// They hold what the catalog's patches expect, at the lines that the patches state, and filler elsewhere. Their
/// commits, certificates and results are recorded in layers/sample, by tools/record-sample.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/catalog.h"

namespace torchpatch::sample {

/// Release → the commit of each component.
using WrittenReleases = std::map<Version, std::map<Component, ObjectId>>;

/// Writes bare repositories "<release>/<name>.git" below `directory`, for every release of `shipped` that some variant
/// of a patchset is made for (of those in `only`, where any are named), and returns the commits to pin. Depends on
/// nothing but the patchsets and the releases' versions, tags and flags. Raises data where patches expect what cannot
/// stand in one tree; environment.
WrittenReleases write_repositories(const Catalog& shipped, const std::string& directory,
                                   const std::vector<std::string>& only = {});

}  // namespace torchpatch::sample
