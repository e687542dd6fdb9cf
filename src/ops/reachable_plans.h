// SPDX-License-Identifier: BSD-3-Clause
/// Every plan that some board, image and flag of a release reaches.
#pragma once

#include <string>
#include <vector>

#include "model/plan.h"

namespace torchpatch::ops {

/// Returns the plans of a release for all boards and images, each with the combinations of the flags that conditions
/// know (distributed, cross). Pairs that cannot go together are left out.
std::vector<Plan> reachable_plans(const Catalog& catalog, const Release& release);

}  // namespace torchpatch::ops
