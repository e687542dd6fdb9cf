// SPDX-License-Identifier: BSD-3-Clause
/// Which submodules are taken at another commit than the pinned one.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/plan.h"

namespace torchpatch::plan {

/// Returns the overrides of `used` (patchset → the issues that it answers) for this release and these components, by
/// repository. Two patchsets may ask for the same one. Raises patch where they ask for different ones.
std::vector<PlannedOverride> choose_overrides(const Catalog& catalog,
                                              const std::map<std::string, std::vector<std::string>>& used,
                                              const Release& release, const std::vector<Component>& components);

}  // namespace torchpatch::plan
