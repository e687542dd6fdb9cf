// SPDX-License-Identifier: BSD-3-Clause
/// diagnose: from an error, or the log of a build, to the known issue.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "model/catalog.h"
#include "model/diagnosis.h"
#include "model/plan.h"

namespace torchpatch::trees {

/// Longest log that is read: that of a build with all commands has some 20 MB.
inline constexpr std::uint64_t kMaxLogBytes = std::uint64_t{256} << 20;

/// What is known of a build of which not both release and board are named.
struct KnownTarget {
  const Release* release = nullptr;
  const Board* board = nullptr;
  const Image* image = nullptr;                 ///< of the board; null: any of them
  std::map<std::string, std::string> settings;  ///< facts of --set
};

/// Finds the issues that a log tells of, the pieces of which `next_piece` returns (search::find_issues). Those that
/// cannot be of the plan's release and board come last and are no more than possible: a plan does not know which
/// compiler, Python or CUDA is used, and what the text proves (a cross build) holds against it. Refers to the catalog.
Diagnosis diagnose(const Catalog& catalog, const std::function<std::string_view()>& next_piece, const Plan& plan);

/// The same where a release or a board alone is named.
Diagnosis diagnose(const Catalog& catalog, const std::function<std::string_view()>& next_piece,
                   const KnownTarget& target);

}  // namespace torchpatch::trees
