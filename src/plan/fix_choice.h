// SPDX-License-Identifier: BSD-3-Clause
/// Which issues apply, which fix answers each (choose_fixes), and what that makes of the tree (plan_patches).
#pragma once

#include <set>
#include <string>
#include <vector>

#include "model/catalog.h"
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

/// Returns `ids` so that each comes behind those that it is to come `after`, and otherwise by id. The loader refuses
/// circles; where there is one all the same, the smallest id goes first.
std::vector<std::string> order_patchsets(const Catalog& catalog, std::set<std::string> ids);

/// Sets plan.overrides, plan.patches and plan.files, and settles the choices whose fix has a patchset: variant,
/// `uncertified`, or `not_affected` if what it changes is not prepared. A patchset that several issues name is there
/// once. Raises patch if two patchsets override one submodule differently.
///
/// Certificates decide which variant of a patchset is used: the one whose every patch has, for the commit or
/// the content that the release pins and the plan's overrides, an edge that continues what the patches before it made,
/// for each path that it has edges for. A variant without patches needs no certificate. Else the variant whose range
/// holds the release, not certified; else none. If a variant with overrides is made for the release, it alone counts.
void plan_patches(const Catalog& catalog, std::vector<FixChoice>& choices, Plan& plan);

}  // namespace torchpatch::plan
