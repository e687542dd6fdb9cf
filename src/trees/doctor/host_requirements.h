// SPDX-License-Identifier: BSD-3-Clause
/// What doctor would say of each machine that may build a prepared tree, for its scripts.
#pragma once

#include <vector>

#include "model/catalog.h"
#include "model/host_requirement.h"
#include "model/manifest.h"
#include "model/plan.h"

namespace torchpatch::trees {

/// Returns the requirements of a prepared tree in the order in which they are told. For each tool doctor is asked at
/// each version where its answer may change. An issue that the plan of another tool version would answer by a patch
/// fails where this tree has not that patch. Raises as doctor does.
std::vector<HostRequirement> host_requirements(const Catalog& catalog, const Manifest& manifest, const Plan& plan);

}  // namespace torchpatch::trees
