// SPDX-License-Identifier: BSD-3-Clause
/// diagnose: from an error, or the log of a build, to the known issue.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "model/catalog.h"
#include "model/diagnosis.h"
#include "model/plan.h"

namespace torchpatch::trees {

/// Longest log that is read: that of a build with all commands has some 20 MB.
inline constexpr std::uint64_t kMaxLogBytes = std::uint64_t{256} << 20;

/// Finds the issues that a log tells of, the pieces of which `next_piece` returns (search::find_issues). With a plan,
/// those that it says do not concern its release and board come last and are no more than possible. Refers to the
/// catalog.
Diagnosis diagnose(const Catalog& catalog, const std::function<std::string_view()>& next_piece, const Plan* plan);

}  // namespace torchpatch::trees
