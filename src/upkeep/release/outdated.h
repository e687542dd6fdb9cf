// SPDX-License-Identifier: BSD-3-Clause
/// Compares the tags of upstream and of the companions with the pins of the catalog.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/catalog.h"
#include "model/outdated.h"
#include "source/fetch/network.h"
#include "support/console.h"

namespace torchpatch::upkeep {

struct OutdatedOptions {
  std::vector<Component> components{};  ///< empty: all
  bool pre_releases = false;            ///< they are news as well
  std::optional<std::int64_t> since{};  ///< hides tags whose commits are known to be older, seconds since 1970
  source::NetworkOptions network{};     ///< with mirrors, or offline, nobody is asked
  int jobs = 1;
};

/// Returns the news of each component and URL that the catalog pins; stand-ins for PyTorch have none. A tag is news
/// where it is called as releases are (v2.13.0), its version is none of the catalog's, and newer than the oldest one
/// there; a pre-release is as long as no release of its first two numbers came after it, and nothing later of them is
/// pinned.
///
/// Offline, the tags are those of the repositories below the mirrors, or in the cache where there are no mirrors, that
/// have a pinned commit of the component and some such tag. Raises usage as UrlMap::find does, environment where there
/// is no git program or a mirror is not a directory, source where a copy is damaged. What could not be asked is a
/// problem of its component.
OutdatedReport find_news(const Catalog& catalog, const OutdatedOptions& options, Console& console);

}  // namespace torchpatch::upkeep
