// SPDX-License-Identifier: BSD-3-Clause
/// Translations: finds the foreign texts of the rules in a line of a log.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "search/find_issues.h"

namespace torchpatch::search {

/// Which of the texts that are translated stand in another one, in one pass over it.
class Translations {
 public:
  Translations() {
    const auto& all = rules().translations;
    for (std::size_t i = 0; i < all.size(); ++i) {
      std::uint8_t& group = group_of_[start_of(all[i].first, 0)];
      if (group == 0) groups_.emplace_back();
      if (group == 0) group = static_cast<std::uint8_t>(groups_.size());
      groups_[group - 1u].push_back(i);
    }
  }

  /// Returns the numbers of those that stand in it, in order.
  std::vector<std::size_t> find(std::string_view text) const {
    std::vector<std::size_t> found;
    for (std::size_t at = 0; at + 1 < text.size(); ++at) {
      const std::uint8_t group = group_of_[start_of(text, at)];
      if (group == 0) continue;
      for (const std::size_t i : groups_[group - 1u])
        if (text.substr(at).starts_with(rules().translations[i].first)) found.push_back(i);
    }
    std::ranges::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

 private:
  static std::size_t start_of(std::string_view text, std::size_t at) {
    return static_cast<std::size_t>(static_cast<unsigned char>(text[at])) << 8 |
           static_cast<unsigned char>(text[at + 1]);
  }

  std::vector<std::uint8_t> group_of_ = std::vector<std::uint8_t>(1 << 16);  ///< by the first two bytes; 0: none
  std::vector<std::vector<std::size_t>> groups_;
};

}  // namespace torchpatch::search
