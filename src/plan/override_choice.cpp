// SPDX-License-Identifier: BSD-3-Clause
#include "plan/override_choice.h"

#include <algorithm>
#include <tuple>

#include "plan/variant_choice.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::plan {

namespace {

std::string side_text(const PlannedOverride& planned) {
  return concat("patchset ", quote(planned.patchset), " takes ", planned.what->commit.hex(), " for ",
                planned.what->replaces.hex());
}

/// Adds the issues of an override that another patchset asks for as well.
void join_override(const PlannedOverride& planned, PlannedOverride& known) {
  const auto key = [](const PlannedOverride& each) { return std::tie(each.what->replaces, each.what->commit); };
  if (key(planned) != key(known)) {
    throw Error(ErrorKind::patch,
                concat("two fixes override the submodule ", known.what->repository.text(),
                       " differently: ", side_text(known), ", ", side_text(planned)),
                "leave one of them out with --without FIX");
  }
  known.issues.insert(known.issues.end(), planned.issues.begin(), planned.issues.end());
  std::sort(known.issues.begin(), known.issues.end());
  known.issues.erase(std::unique(known.issues.begin(), known.issues.end()), known.issues.end());
}

}  // namespace

std::vector<PlannedOverride> choose_overrides(const Catalog& catalog,
                                              const std::map<std::string, std::vector<std::string>>& used,
                                              const Release& release, const std::vector<Component>& components) {
  std::map<RepositoryPath, PlannedOverride> chosen;
  for (const auto& [id, issues] : used) {
    const Variant* variant = overriding_variant(catalog.patchset(id), release, components);
    if (variant == nullptr) {
      continue;
    }
    for (const SubmoduleOverride& what : variant->overrides) {
      const Component component = what.repository.component;
      if (std::find(components.begin(), components.end(), component) == components.end()) {
        continue;
      }
      const PlannedOverride planned{id, variant->id, &what, issues};
      const auto [known, is_new] = chosen.emplace(what.repository, planned);
      if (!is_new) {
        join_override(planned, known->second);
      }
    }
  }
  std::vector<PlannedOverride> overrides;
  for (auto& [repository, planned] : chosen) {
    overrides.push_back(std::move(planned));
  }
  return overrides;
}

}  // namespace torchpatch::plan
