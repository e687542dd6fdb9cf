// SPDX-License-Identifier: BSD-3-Clause
/// What differs between two lists of lines.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "patch/patch_file.h"

namespace torchpatch::patch {

/// Returns the hunks that turn `before` into `after`, by a longest common subsequence, with `context` common lines
/// around each; none where they are equal. Lists whose lengths multiply to more than 16 million are taken for all
/// different.
std::vector<Hunk> diff_lines(const std::vector<std::string>& before, const std::vector<std::string>& after,
                             std::size_t context);

}  // namespace torchpatch::patch
