// SPDX-License-Identifier: BSD-3-Clause
/// diagnose(): finds the known issues for an error, or the log of a build.
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

/// Size limit of a log: that of a build with all commands has about 20 MB.
inline constexpr std::uint64_t kMaxLogBytes = std::uint64_t{256} << 20;

/// What is known of a build if not both release and board are given.
struct KnownTarget {
  const Release* release = nullptr;
  const Board* board = nullptr;
  const Image* image = nullptr;                 ///< of the board; null: any of them
  std::map<std::string, std::string> settings;  ///< facts of --set
};

/// Finds the known issues that match a log, read from `next_piece` (search::find_issues). Those impossible with the
/// plan's release and board come last and are only possible matches: a plan does not know which compiler, Python or
/// CUDA is used, and facts proven by the text (a cross build) override it. Refers to the catalog.
Diagnosis diagnose(const Catalog& catalog, const std::function<std::string_view()>& next_piece, const Plan& plan);

/// The same if only a release or only a board is given.
Diagnosis diagnose(const Catalog& catalog, const std::function<std::string_view()>& next_piece,
                   const KnownTarget& target);

}  // namespace torchpatch::trees
