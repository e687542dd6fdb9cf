// SPDX-License-Identifier: BSD-3-Clause
#include "model/release.h"

#include "support/text.h"

namespace torchpatch {

bool lies_in(const RepositoryPath& inner, const RepositoryPath& outer) {
  return inner == outer || (inner.component == outer.component && starts_with(inner.path, outer.path + "/"));
}

const SubmoduleOverride* find_override(const std::vector<SubmoduleOverride>& overrides,
                                       const RepositoryPath& repository) {
  const SubmoduleOverride* deepest = nullptr;
  for (const SubmoduleOverride& each : overrides) {
    if (!lies_in(repository, each.repository)) continue;
    if (!deepest || each.repository.path.size() > deepest->repository.path.size()) deepest = &each;
  }
  return deepest;
}

const ComponentPin* Release::find(Component component) const {
  const auto found = components.find(component);
  return found == components.end() ? nullptr : &found->second;
}

}  // namespace torchpatch
