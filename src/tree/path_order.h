// SPDX-License-Identifier: BSD-3-Clause
/// The order in which a walk of a tree meets its paths.
#pragma once

#include <string_view>
#include <vector>

namespace torchpatch::tree {

/// Compares bytewise, but '/' before every other byte: what lies in a directory stands together, right behind a leaf
/// of the same name ("a", "a/b", "a.c").
bool walks_before(std::string_view left, std::string_view right);

/// Raises unsafe where one of `paths`, sorted by walks_before, stands twice or is both a leaf and a directory.
void require_disjoint(const std::vector<std::string_view>& paths);

}  // namespace torchpatch::tree
