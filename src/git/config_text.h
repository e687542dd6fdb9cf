// SPDX-License-Identifier: BSD-3-Clause
/// The syntax of git's configuration files (https://git-scm.com/docs/git-config#_syntax), without includes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace torchpatch::git {

struct ConfigVariable {
  std::string key;  ///< in lower case
  std::string value;
  int line = 0;
};

struct ConfigSection {
  std::string name;        ///< in lower case: "submodule"
  std::string subsection;  ///< the text in quotes, or empty
  int line = 0;
  std::vector<ConfigVariable> variables;
};

/// Returns the sections in file order, two with one name apart. Raises unsafe, with the line, where the text does not
/// follow the syntax, holds NUL, or a variable has no value.
std::vector<ConfigSection> parse_config_text(std::string_view text);

}  // namespace torchpatch::git
