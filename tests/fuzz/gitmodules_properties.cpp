// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <set>

#include "fuzz/harmless_text.h"
#include "fuzz/properties.h"
#include "fuzz/require.h"
#include "fuzz/slow_path_rule.h"
#include "git/gitmodules.h"

namespace torchpatch::fuzz {
namespace {

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return (c >= 0 && c < 32) || c == 127; });
}

bool has_part(std::string_view text, char separator, const std::set<std::string>& unwanted) {
  const std::vector<std::string> parts = parts_of(text, separator);
  return std::any_of(parts.begin(), parts.end(), [&](const std::string& part) { return unwanted.contains(part); });
}

/// A name becomes a directory below .git/modules.
void check_name(const std::string& name) {
  std::string slashed = name;
  std::replace(slashed.begin(), slashed.end(), '\\', '/');
  require(!name.empty() && !has_control(name) && !has_part(slashed, '/', {".."}), "a name stays below .git/modules");
}

void check_submodule(const git::Submodule& submodule, int lines) {
  const auto& [name, path, url, line] = submodule;
  check_name(name);
  require(!path.empty() && path[0] != '-' && !has_control(path) && !has_part(path, '/', {"", ".", ".."}),
          "a path is plain and relative");
  require(!url.empty() && url[0] != '-' && !has_control(url), "a url is no option and has no control bytes");
  require(line >= 1 && line <= lines, "a submodule stands on a line of the file");
}

}  // namespace

void check_gitmodules(std::string_view bytes) {
  std::vector<git::Submodule> submodules;
  try {
    submodules = git::parse_gitmodules(bytes);
  } catch (const Error& error) {
    require(error.kind() == ErrorKind::unsafe && is_harmless(error.message()),
            "a refusal is unsafe, and shows nothing raw");
    return;
  }
  std::set<std::string> names, paths;
  for (const git::Submodule& submodule : submodules) {
    check_submodule(submodule, 1 + static_cast<int>(std::count(bytes.begin(), bytes.end(), '\n')));
    require(names.insert(submodule.name).second, "a name stands once");
    require(paths.insert(submodule.path).second, "a path stands once");
  }
}

}  // namespace torchpatch::fuzz
