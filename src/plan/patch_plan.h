// SPDX-License-Identifier: BSD-3-Clause
/// The overrides, patches and added files of the fixes that are used.
#pragma once

#include <vector>

#include "plan/fix_choice.h"

namespace torchpatch::plan {

/// Sets plan.overrides, plan.patches and plan.files, and settles the choices whose fix has a patchset: variant,
/// `uncertified`, or `not_affected` where what it changes is not prepared. A patchset that several issues name is there
/// once. Raises patch where two patchsets override one submodule differently.
void plan_patches(const Catalog& catalog, std::vector<FixChoice>& choices, Plan& plan);

}  // namespace torchpatch::plan
