// SPDX-License-Identifier: BSD-3-Clause
/// A catalog, a plan and a manifest with a bit of everything.
#pragma once

#include <vector>

#include "model/catalog.h"
#include "model/doctor.h"
#include "model/manifest.h"
#include "model/plan.h"

namespace torchpatch::test {

/// One release, one board, five issues, one patchset.
Catalog example_catalog();

/// The five issues, one of each status.
std::vector<Issue> example_issues();

/// What was decided about them.
std::vector<IssueDecision> example_decisions();

/// A plan that points into `catalog`.
Plan example_plan(const Catalog& catalog);

/// A manifest in canonical order, so that reading back what is written gives it again.
/// One of each status.
std::vector<AdvisoryDecision> example_advisories();
Manifest example_manifest();
/// A machine, and a bound of cmake with its steps.
std::vector<HostRequirement> example_requirements();

}  // namespace torchpatch::test
