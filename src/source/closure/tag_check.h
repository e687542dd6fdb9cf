// SPDX-License-Identifier: BSD-3-Clause
/// Compares a release's tags with its pins. A tag never decides content (design §3).
#pragma once

#include <string>
#include <vector>

#include "model/release.h"
#include "source/closure/closure.h"
#include "source/closure/object_source.h"

namespace torchpatch::source {

/// Returns a warning for each component whose tag, in the repository its commit was read from, names another commit or
/// cannot be looked up.
/// `strict`: raises source instead.
std::vector<std::string> check_tags(const Release& release, const Closure& closure, const ObjectSource& source,
                                    bool strict);

}  // namespace torchpatch::source
