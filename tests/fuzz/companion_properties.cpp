// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "fuzz/properties.h"
#include "fuzz/require.h"
#include "support/text.h"
#include "upkeep/release/add_release.h"

namespace torchpatch::fuzz {

void check_companion_rows(std::string_view text) {
  const std::string all(text);
  std::string bare = all;
  std::erase(bare, '`');
  for (const char* const release : {"1.7.0", "2.1.2"}) {
    const Version torch = *Version::parse(release);
    for (const upkeep::CompanionRow& row : upkeep::companion_rows(text, Component::vision, torch)) {
      require(bare.find(row.torch) != bare.npos && bare.find(row.companion) != bare.npos, "a row stands in the text");
      const bool is_bound = starts_with(row.torch, "<=");
      const auto named = Version::parse(row.torch.substr(is_bound ? 2 : 0));
      require(named.has_value(), "a row is of a version");
      require(is_bound ? torch <= *named : torch == *named || torch.is_in_family(*named), "a row is of this torch");
      if (!upkeep::is_exact(row)) continue;
      require(Version::parse(row.companion).has_value() && (is_bound || torch == *named),
              "an exact row names one release of each");
    }
  }
}

}  // namespace torchpatch::fuzz
