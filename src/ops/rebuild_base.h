// SPDX-License-Identifier: BSD-3-Clause
/// verify, second part: the proof. From the files on disk alone, the patches are taken back out in memory, added files
/// dropped, every repository's tree computed, and each must be the tree that its pinned commit names (design §9.2).
#pragma once

#include <string>
#include <vector>

#include "emit/run/reports.h"
#include "model/manifest.h"
#include "tree/scan.h"

namespace torchpatch::ops {

/// Returns what does not add up: commit, base-tree, patched-tree, tree, patch. `root` is OUT; contents are read only
/// for files that patches touch, and must be those that were scanned.
std::vector<emit::Difference> check_base_trees(const std::string& root, const std::vector<tree::ScannedEntry>& scanned,
                                               const Manifest& manifest);

}  // namespace torchpatch::ops
