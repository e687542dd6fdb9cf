// SPDX-License-Identifier: BSD-3-Clause
/// Patchsets that end before the issues that they answer.
#pragma once

#include <string>
#include <vector>

#include "model/catalog.h"
#include "support/findings.h"

namespace torchpatch::upkeep {

/// Returns the first issue that a patchset answers and that affects both releases, by its ranges and by its condition
/// as far as the release alone decides that; or null.
const Issue* issue_that_goes_on(const Catalog& catalog, const std::string& patchset, const Version& from,
                                const Version& to);

/// Returns a finding for each variant without a reason in `ends` that is made for a release, while none is for the next
/// release of the catalog, although an issue that the patchset answers affects both.
std::vector<Finding> find_unexplained_ends(const Catalog& catalog);

}  // namespace torchpatch::upkeep
