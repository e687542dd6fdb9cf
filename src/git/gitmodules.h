// SPDX-License-Identifier: BSD-3-Clause
/// Our own parser of .gitmodules (libgit2's and git's follow includes and take last duplicates; reliability §3.4 31).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace torchpatch::git {

struct Submodule {
  std::string name;
  std::string path;
  std::string url;
  int line = 0;
};

/// Returns the submodules of a .gitmodules blob in file order. Only [submodule "name"] sections with path and url count; branch, ignore,
/// update=checkout|rebase|merge|none, shallow and fetchRecurseSubmodules are read over.
/// Raises unsafe with the line for includes, update=!command, duplicate names, paths or keys, two names for one path, names and paths that git refuses
/// (CVE-2018-11235, CVE-2018-17456, CVE-2025-48384), values that are missing or not closed.
std::vector<Submodule> parse_gitmodules(std::string_view bytes);

}  // namespace torchpatch::git
