// SPDX-License-Identifier: BSD-3-Clause
/// Which issues apply, and which fix answers each.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
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

// Which submodules are taken at another commit than the pinned one.

/// Returns the overrides of `used` (patchset → the issues that it answers) for this release and these components, by
/// repository. Two patchsets may ask for the same one. Raises patch where they ask for different ones.
std::vector<PlannedOverride> choose_overrides(const Catalog& catalog,
                                              const std::map<std::string, std::vector<std::string>>& used,
                                              const Release& release, const std::vector<Component>& components);

// Which variant of a patchset fits the pinned commits: certificates decide (design §5).

/// The overrides of the plan, and what certified patches have made so far of the files they touch.
struct CertifiedState {
  struct File {
    Sha256 patch;                  ///< the last patch that touched it
    std::optional<ObjectId> blob;  ///< what it made; nothing = deleted
  };
  std::vector<SubmoduleOverride> overrides;
  std::map<std::pair<RepositoryPath, std::string>, File> files;
};

/// A patch of the chosen variant, with the edges it takes from the state before it.
struct ChosenPatch {
  const Patch* patch = nullptr;
  std::vector<CertificateEdge> edges;  ///< empty where the variant is not certified
};

struct VariantChoice {
  const Variant* variant = nullptr;  ///< null: none is made for this release
  bool is_certified = false;
  std::string reason;                ///< why not certified, in words
  std::vector<ChosenPatch> patches;  ///< those rooted in a component that is prepared
};

/// Returns true where some variant changes a component that is prepared.
bool concerns(const Patchset& patchset, const std::vector<Component>& components);

/// Returns the variant with overrides whose range holds the release and that changes a component that is prepared, or
/// null: no other variant of its patchset is used for that release.
const Variant* overriding_variant(const Patchset& patchset, const Release& release,
                                  const std::vector<Component>& components);

/// Returns the variant whose every patch has, for the commits that the release pins and the overrides of `state`, an
/// edge that goes on from `state`, for each path that it has edges for; `state` is then what it makes. A variant
/// without patches needs no certificate. Else the variant whose range holds the release, not certified; else none.
VariantChoice choose_variant(const Patchset& patchset, const Release& release, const std::vector<Component>& components,
                             CertifiedState& state);

}  // namespace torchpatch::plan
