// SPDX-License-Identifier: BSD-3-Clause
/// Patchsets that end before the issues that they answer.
#pragma once

#include <vector>

#include "model/catalog.h"
#include "support/findings.h"

namespace torchpatch::ops {

/// Returns a finding for each variant without a reason in `ends` that is made for a release, while none is for the next
/// release of the catalog, although an issue that the patchset answers affects both.
std::vector<Finding> find_unexplained_ends(const Catalog& catalog);

}  // namespace torchpatch::ops
