// SPDX-License-Identifier: BSD-3-Clause
/// judge_advisories(): the published vulnerabilities of a plan's tree.
#pragma once

#include <vector>

#include "model/plan.h"

namespace torchpatch::plan {

/// Returns a decision for each advisory of the catalog on a component of the plan, by id. Needs the plan's facts and
/// issues.
std::vector<AdvisoryDecision> judge_advisories(const Catalog& catalog, const Plan& plan);

}  // namespace torchpatch::plan
