// SPDX-License-Identifier: BSD-3-Clause
/// A prepared tree of two files that hold the same text, for tests that break in on its making.
#pragma once

#include <string>

#include "tree/staging.h"

namespace torchpatch::test {

/// Builds the tree in a staging directory and commits it.
void prepare_small_tree(const std::string& out, tree::IfExists if_exists, const std::string& text);

/// Returns "absent", the text that both files of OUT hold, or "mixed".
std::string state_of(const std::string& out);

}  // namespace torchpatch::test
