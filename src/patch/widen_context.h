// SPDX-License-Identifier: BSD-3-Clause
/// A change with as much of the file around it as a reader wants.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "patch/patch_file.h"

namespace torchpatch::patch {

/// Returns the same change of `before` with `context` unchanged lines around it, as git diff -U<context> shows it:
/// hunks that come near each other are one, and each says where it really stands. Raises ApplyError where a hunk does
/// not fit; `path` is for that.
std::vector<Hunk> widen_context(const std::vector<Hunk>& hunks, std::string_view before, std::size_t context,
                                const std::string& path);

}  // namespace torchpatch::patch
