// SPDX-License-Identifier: BSD-3-Clause
/// What a patch of a catalog must have besides being well formed.
#pragma once

#include <string>
#include <vector>

#include "patch/patch_file.h"

namespace torchpatch::patch {

struct LintFinding {
  int line = 0;         ///< 1-based; 0 = the whole patch
  std::string message;  ///< lower case, no final period
  bool operator==(const LintFinding&) const = default;
};

/// Returns all findings, in the order of the rules: the fields Description (or Subject), Origin, Bug, Forwarded,
/// Last-Update and SPDX-License-Identifier are there and well formed; every change of content has an index line with
/// two full ids; hunks have context; and everything can be taken back, which verify does (no copies, no binary change
/// without its reverse).
std::vector<LintFinding> lint_patch(const PatchFile& patch);

}  // namespace torchpatch::patch
