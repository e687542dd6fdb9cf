// SPDX-License-Identifier: BSD-3-Clause
/// verify --after-build: what a build may have added to a prepared tree.
#pragma once

#include <string>

#include "trees/verify/verify.h"

namespace torchpatch::trees {

/// Returns why a path that is in no list was not added by a build, or empty text. A build writes into build/, dist/ and
/// the like of its component; modules that Python can import only there and into the packages that it installs, none in
/// the place of a source; and nothing where a partial tree lacks a pinned file. What it writes is proven by nothing.
std::string no_build_adds(const std::string& path, const ScannedTree& tree);

}  // namespace torchpatch::trees
