// SPDX-License-Identifier: BSD-3-Clause
/// parse_gitmodules(): our own parser of .gitmodules. Those of git and libgit2 follow includes, and of duplicate keys
/// use the last one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace torchpatch::git {

struct Submodule {
  std::string name;
  std::string path;
  std::string url;
  int line = 0;  ///< of its section
};

/// Returns the submodules of a .gitmodules blob in file order. Only [submodule "name"] sections with path and url
/// count; every other key of them is read over, as is any other section that is no include. Raises unsafe with the line
/// for includes, `update` that is no plain word of git's (CVE-2019-19604), duplicate names, paths or keys, names, paths
/// and URLs that git refuses (CVE-2018-11235, CVE-2018-17456, CVE-2025-48384), and text that is no configuration: keys
/// without a value, quotes or sections that are not closed, NUL.
std::vector<Submodule> parse_gitmodules(std::string_view bytes);

}  // namespace torchpatch::git
