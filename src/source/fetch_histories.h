// SPDX-License-Identifier: BSD-3-Clause
/// Adds histories to the repositories of a mirror that has their commits.
#pragma once

#include <string>
#include <vector>

#include "model/release.h"
#include "source/network.h"
#include "source/repository_contents.h"

namespace torchpatch::source {

/// Fetches the branches and tags of each repository of the mirror in `directory`, and all that they and its commits
/// come from, from its recorded URL as `network` maps it, then from where `moved` says that it is known to live. What
/// is there already is not asked for again. Raises environment where there is no git program, which alone can do it;
/// source with every repository whose history could not be had, after all the others came.
void fetch_histories(const std::vector<RepositoryCommits>& repositories, const std::string& directory,
                     const NetworkOptions& network, const std::vector<MovedRepository>& moved, Console& console);

}  // namespace torchpatch::source
