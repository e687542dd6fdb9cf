// SPDX-License-Identifier: BSD-3-Clause
/// --component: which parts of a release.
#pragma once

#include <string>
#include <vector>

#include "cli/option_set.h"
#include "model/repository_path.h"

namespace torchpatch::cli {

void declare_component_option(OptionSet& options, std::vector<std::string>& target);

/// Returns the components of these names. Raises usage for a name that is none's.
std::vector<Component> components_from(const std::vector<std::string>& names);

}  // namespace torchpatch::cli
