// SPDX-License-Identifier: BSD-3-Clause
/// Lists a tree on disk without opening any of its files.
#pragma once

#include <string>
#include <vector>

#include "tree/scan.h"

namespace torchpatch::tree {

/// Directories nested deeper than this are an error entry (the path rule's own bound is the same).
inline constexpr int kMaxDirectoryDepth = 512;

/// Returns everything below `root` sorted bytewise by path, links with their targets; digests of files are not
/// filled in. A directory that cannot be read, or lies on another file system, is an entry with an error. Raises
/// environment where `root` itself cannot be listed.
std::vector<ScannedEntry> list_tree(const std::string& root);

}  // namespace torchpatch::tree
