// SPDX-License-Identifier: BSD-3-Clause
/// judge_advisories(): which published vulnerabilities a plan's tree has.
#pragma once

#include <vector>

#include "model/plan.h"

namespace torchpatch::plan {

/// Returns a decision for each advisory of the catalog on a component of the plan, by id. Needs the facts and issues
/// in the plan.
std::vector<AdvisoryDecision> judge_advisories(const Catalog& catalog, const Plan& plan);

}  // namespace torchpatch::plan
