// SPDX-License-Identifier: BSD-3-Clause
/// --url-map OLD=NEW: where to fetch from instead of the URLs that releases and repositories record, which stay what
/// the manifest says.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace torchpatch::source {

class UrlMap {
 public:
  UrlMap() = default;
  /// Each rule is "OLD=NEW": the beginning of a URL, and what takes its place. Raises usage for anything else, for a
  /// NEW that url_problem refuses whatever follows it, and where an OLD is given twice.
  explicit UrlMap(const std::vector<std::string>& rules);

  /// Returns `url` with the longest OLD that it begins with replaced, as git's url.NEW.insteadOf does, or nothing where
  /// no rule is for it. Raises usage where the result is refused.
  std::optional<std::string> find(std::string_view url) const;
  bool empty() const { return rules_.empty(); }

 private:
  void add(const std::string& rule);

  std::map<std::string, std::string, std::less<>> rules_;
};

}  // namespace torchpatch::source
