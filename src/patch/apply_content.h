// SPDX-License-Identifier: BSD-3-Clause
/// Applies one file's change to its content.
#pragma once

#include <optional>
#include <vector>

#include "patch/apply.h"

namespace torchpatch::patch {

/// Returns the file that `patch` makes of `old`, or nothing where it removes it; `old` is absent where it creates one.
/// Appends the hunks that were not at their stated lines to `moved`. Raises ApplyError.
std::optional<TreeFile> apply_content(const FilePatch& patch, const std::optional<TreeFile>& old,
                                      std::vector<MovedHunk>& moved);

}  // namespace torchpatch::patch
