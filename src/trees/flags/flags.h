// SPDX-License-Identifier: BSD-3-Clause
/// `flags`: which variables a release reads (flags), and what a build script gets wrong (check_flags).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/flags.h"
#include "model/plan.h"

namespace torchpatch::trees {

/// Returns what is known of each of `names`, or of every variable that the release reads where there are none.
FlagsReport flags(const Catalog& catalog, const Release& release, const std::vector<std::string>& names);

/// Largest script that is read, in bytes.
inline constexpr std::size_t kMaxScript = std::size_t{1} << 20;

/// Most assignments that one may have.
inline constexpr std::size_t kMaxAssignments = 5000;

/// Compares what a script sets with what the release reads, and with what `plan` (may be null) sets, and looks for
/// values that no build sees. Raises unsafe for more than kMaxScript or kMaxAssignments, data for bytes that are not
/// text.
FlagCheckReport check_flags(const Catalog& catalog, const Release& release, const Plan* plan, const std::string& file,
                            std::string_view text);

}  // namespace torchpatch::trees
