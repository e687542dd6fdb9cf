// SPDX-License-Identifier: BSD-3-Clause
/// Which variant of a patchset fits the pinned commits: certificates decide (design §5).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/plan.h"

namespace torchpatch::plan {

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
