// SPDX-License-Identifier: BSD-3-Clause
/// The order in which patchsets are applied.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "model/catalog.h"

namespace torchpatch::plan {

/// Returns `ids` so that each comes behind those that it is to come `after`, and otherwise by id. The loader refuses
/// circles; where there is one all the same, the smallest id goes first.
std::vector<std::string> order_patchsets(const Catalog& catalog, std::set<std::string> ids);

}  // namespace torchpatch::plan
