// SPDX-License-Identifier: BSD-3-Clause
/// Work on many releases at once that needs data alone.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "source/run_lookups.h"

namespace torchpatch::ops {

/// Runs `task` for each item (a release) in worker processes, as run_lookups does with sources. Raises as run_workers.
std::vector<source::LookupResult> run_planning(std::size_t items, const std::function<std::string(std::size_t)>& task,
                                               int jobs);

}  // namespace torchpatch::ops
