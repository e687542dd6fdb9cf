// SPDX-License-Identifier: BSD-3-Clause
/// The environment of the build, and who sets what in it.
#pragma once

#include <string>
#include <vector>

#include "plan/fix_choice.h"

namespace torchpatch::plan {

/// Sets plan.environment: the release's variables, those of its components, then with a host the flags of the board's
/// CPU, the board's variables, those of the fixes that are used (by id of the issue), and those of --set. A later one
/// takes the place of an earlier one, but one of a component only that of the same component; where their values differ
/// that is a warning of the plan. Raises usage for a --set whose name or value cannot be in an environment.
void plan_environment(const std::vector<FixChoice>& choices, Plan& plan);

}  // namespace torchpatch::plan
