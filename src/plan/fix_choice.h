// SPDX-License-Identifier: BSD-3-Clause
/// Which issues apply, which fix resolves each (choose_fixes), and the resulting changes to the tree (plan_patches).
#pragma once

#include <set>
#include <string>
#include <vector>

#include "model/catalog.h"
#include "model/plan.h"

namespace torchpatch::plan {

/// The decision on an issue, as far as possible without certificates.
struct FixChoice {
  const Issue* issue = nullptr;  ///< owned by the catalog
  const Fix* fix = nullptr;      ///< that resolves it if the status is `applied`
  IssueDecision decision;
};

/// Raises usage for an unknown fix in --with or --without (with the nearest names), a fix in both, and two --with for
/// one issue.
void check_fix_options(const Catalog& catalog, const PlanOptions& options);

/// Returns a choice for every issue, by id.
std::vector<FixChoice> choose_fixes(const Catalog& catalog, const Release& release, const Facts& facts,
                                    const PlanOptions& options);

/// Returns a warning for each --with and --without without effect, and for each undecided issue.
std::vector<std::string> choice_warnings(const std::vector<FixChoice>& choices, const PlanOptions& options);

/// Returns `ids` in an order in which each comes after those in its `after`, otherwise by id. The loader refuses
/// cycles; in one, the smallest id would come first.
std::vector<std::string> order_patchsets(const Catalog& catalog, std::set<std::string> ids);

/// Sets plan.overrides, plan.patches and plan.files, and completes the choices whose fix has a patchset: variant,
/// `uncertified`, or `not_affected` if the component it changes is not prepared. A patchset named by several issues is
/// used once. Raises patch if two patchsets override one submodule differently.
///
/// Certificates decide which variant of a patchset is used: the one whose every patch has, for the release's pinned
/// commit or content and the plan's overrides, an edge that continues the previous patches' result, on each path that
/// it has edges for. A variant without patches needs none. Otherwise the variant whose range contains the release,
/// uncertified; else none. If a variant with overrides is made for the release, only that one counts.
void plan_patches(const Catalog& catalog, std::vector<FixChoice>& choices, Plan& plan);

}  // namespace torchpatch::plan
