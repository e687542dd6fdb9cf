// SPDX-License-Identifier: BSD-3-Clause
/// Which issues apply, and which fix answers each.
#pragma once

#include <vector>

#include "model/plan.h"

namespace torchpatch::plan {

/// An issue of the catalog and what becomes of it, as far as it can be said without looking at certificates.
struct FixChoice {
  const Issue* issue = nullptr;  ///< owned by the catalog
  const Fix* fix = nullptr;      ///< that answers it where the status is `applied`
  IssueDecision decision;
};

/// Raises usage for a --with or --without that no issue has (with the nearest names), for a fix in both, and for two
/// --with of one issue.
void check_fix_options(const Catalog& catalog, const PlanOptions& options);

/// Returns one choice for every issue, by id.
std::vector<FixChoice> choose_fixes(const Catalog& catalog, const Release& release, const Facts& facts,
                                    const PlanOptions& options);

/// Returns a warning for each --with and --without that made no difference, and for each undecided issue.
std::vector<std::string> choice_warnings(const std::vector<FixChoice>& choices, const PlanOptions& options);

}  // namespace torchpatch::plan
