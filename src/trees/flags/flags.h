// SPDX-License-Identifier: BSD-3-Clause
/// flags(): the variables that a release reads; check_flags(): mistakes in a build script.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/flags.h"
#include "model/plan.h"

namespace torchpatch::trees {

/// Returns the facts about each of `names`, or if empty about every variable that the release reads.
FlagsReport flags(const Catalog& catalog, const Release& release, const std::vector<std::string>& names);

/// Size limit of a script, in bytes.
inline constexpr std::size_t kMaxScript = std::size_t{1} << 20;

/// Limit of assignments in a script.
inline constexpr std::size_t kMaxAssignments = 5000;

/// Compares the assignments of a script with what the release reads, and with `plan` (may be null), and finds values
/// that no build gets. Raises unsafe for more than kMaxScript or kMaxAssignments, data for bytes that are not text.
FlagCheckReport check_flags(const Catalog& catalog, const Release& release, const Plan* plan, const std::string& file,
                            std::string_view text);

}  // namespace torchpatch::trees
