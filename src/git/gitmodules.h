// SPDX-License-Identifier: BSD-3-Clause
/// parse_gitmodules(): our own parser of .gitmodules. git's and libgit2's follow includes, and use the last of
/// duplicate keys.
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

/// Parses a .gitmodules blob; returns the submodules in file order. Only [submodule "name"] sections with path and url
/// count; their other keys and other sections, except includes, are skipped. Raises unsafe with the line for includes,
/// an `update` other than git's plain words (CVE-2019-19604), duplicate names, paths or keys, names, paths and URLs
/// that git refuses (CVE-2018-11235, CVE-2018-17456, CVE-2025-48384), and malformed text: keys without a value,
/// unclosed quotes or sections, NUL.
std::vector<Submodule> parse_gitmodules(std::string_view bytes);

}  // namespace torchpatch::git
