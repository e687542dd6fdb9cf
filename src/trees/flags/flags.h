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

/// NAME=VALUE in a script.
struct Assignment {
  std::size_t line = 0;  ///< from 1
  std::string name, value;

  bool operator==(const Assignment&) const = default;
};

/// Returns the assignments of a shell script, a Dockerfile, an env file, or of notes that quote one: words NAME=VALUE,
/// -DNAME=VALUE, -DNAME:TYPE=VALUE, and ENV NAME VALUE. What stands behind '#' is passed over. Quotes may hold blanks,
/// and end with the line at the latest. Any bytes will do.
std::vector<Assignment> find_assignments(std::string_view text);

/// Largest script that is read, in bytes.
inline constexpr std::size_t kMaxScript = std::size_t{1} << 20;

/// Most assignments that one may have.
inline constexpr std::size_t kMaxAssignments = 5000;

/// Compares what a script sets with what the release reads, and with what `plan` (may be null) sets. Raises unsafe for
/// more than kMaxScript or kMaxAssignments, data for bytes that are no text.
FlagCheckReport check_flags(const Catalog& catalog, const Release& release, const Plan* plan, const std::string& file,
                            std::string_view text);

}  // namespace torchpatch::trees
