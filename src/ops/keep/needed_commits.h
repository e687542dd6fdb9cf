// SPDX-License-Identifier: BSD-3-Clause
/// Which commits the releases of a catalog need, as far as folders of objects tell.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/catalog.h"
#include "support/console.h"

namespace torchpatch::ops {

struct NeededCommits {
  std::map<ObjectId, std::set<Version>> releases;  ///< commit → releases that need it
  std::vector<std::string> damage;                 ///< commits that are there but cannot be walked from, and why
};

/// Walks from the pins of every release, and from the commits of its overrides, through the submodules.
NeededCommits find_needed_commits(const Catalog& catalog, const std::vector<std::string>& object_folders, int jobs,
                                  Console& console);

}  // namespace torchpatch::ops
