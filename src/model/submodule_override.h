// SPDX-License-Identifier: BSD-3-Clause
/// A submodule that is taken at another commit than the one its gitlink pins.
#pragma once

#include <compare>
#include <string>
#include <vector>

#include "model/repository_path.h"
#include "support/object_id.h"

namespace torchpatch {

struct SubmoduleOverride {
  RepositoryPath repository;  ///< a submodule, never a component's own repository
  ObjectId replaces;          ///< the commit that the gitlink has to name
  ObjectId commit;            ///< the one that is taken
  std::string url;            ///< where that one may be fetched from

  auto operator<=>(const SubmoduleOverride&) const = default;
};

/// Returns true where `inner` is `outer`, or a repository in it.
bool lies_in(const RepositoryPath& inner, const RepositoryPath& outer);

/// Returns the one of `overrides` that decides the content of `repository`: the deepest that is for it or for a
/// repository it lies in. Null: the release's pins decide.
const SubmoduleOverride* find_override(const std::vector<SubmoduleOverride>& overrides,
                                       const RepositoryPath& repository);

}  // namespace torchpatch
