// SPDX-License-Identifier: BSD-3-Clause
#include "model/issue.h"

#include <algorithm>

namespace torchpatch {

bool affects(const Issue& issue, const Version& release) {
  return std::any_of(issue.releases.begin(), issue.releases.end(),
                     [&](const VersionRange& range) { return range.contains(release); });
}

}  // namespace torchpatch
