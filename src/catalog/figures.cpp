// SPDX-License-Identifier: BSD-3-Clause
#include "catalog/figures.h"

#include <map>

#include "support/json.h"
#include "support/text.h"

namespace torchpatch::catalog {

namespace {

/// Returns the id of an element of a list, or empty text.
std::string id_of(const Json& element) {
  for (const auto& [key, value] : element.members)
    if (key == "id" && value.kind == Json::Kind::string) return value.string;
  return {};
}

using Pattern = std::vector<std::string>;  ///< names from the root down, of which "*" is any

/// Walks a file: every figure must be covered by a key of its sources, every key must name a place.
class FigureCheck {
 public:
  FigureCheck(const std::string& file, const std::vector<SourceNote>& notes, Findings& findings)
      : file_(file), findings_(findings) {
    for (const SourceNote& note : notes)
      for (const std::string& key : note.keys) is_known_.emplace(key, false);
  }

  /// Checks what lies below `value`, whose own name is `path`. `patterns`: those whose first names, one for each level
  /// above, are the names of `path`.
  void walk(const Json& value, const std::string& path, std::size_t depth, bool is_covered,
            const std::vector<const Pattern*>& patterns) {
    const auto descend = [&](const std::string& name, const Json& child) {
      const std::string below = path.empty() ? name : concat(path, ".", name);
      const auto key = is_known_.find(below);
      if (key != is_known_.end()) key->second = true;
      const bool is_below_covered = is_covered || key != is_known_.end();
      std::vector<const Pattern*> matching;
      for (const Pattern* pattern : patterns) {
        const std::string& wanted = (*pattern)[depth];
        if (wanted != "*" && wanted != name) continue;
        if (pattern->size() > depth + 1)
          matching.push_back(pattern);
        else if (!is_below_covered)
          findings_.add(file_, child.line, below, "no entry of 'sources' covers this figure");
      }
      walk(child, below, depth + 1, is_below_covered, matching);
    };
    for (const auto& [name, child] : value.members) descend(name, child);
    for (const Json& element : value.items)
      if (const std::string id = id_of(element); !id.empty()) descend(id, element);
  }

  void report_unknown_keys(int line) {
    for (const auto& [key, is_known] : is_known_)
      if (!is_known) findings_.add(file_, line, "sources", concat(quote(key), " names nothing in this file"));
  }

 private:
  const std::string& file_;
  Findings& findings_;
  std::map<std::string, bool> is_known_;
};

}  // namespace

void check_figures(const Json& root, const std::string& file, const std::vector<SourceNote>& notes,
                   const std::vector<std::string>& figures, Findings& findings) {
  std::vector<Pattern> patterns;
  for (const std::string& figure : figures) patterns.push_back(split(figure, '.'));
  std::vector<const Pattern*> all;
  for (const Pattern& pattern : patterns) all.push_back(&pattern);
  FigureCheck check(file, notes, findings);
  check.walk(root, "", 0, false, all);
  check.report_unknown_keys(line_of(root, "sources"));
}

}  // namespace torchpatch::catalog
