// SPDX-License-Identifier: BSD-3-Clause
/// diff: what two prepared trees, manifests or plans do not have in common, and which issue, pin or option explains it.
#pragma once

#include "emit/diff/diff_report.h"
#include "ops/diff/diff_input.h"

namespace torchpatch::ops {

struct DiffOptions {
  /// Each file that differs because its repository is at another commit; else one line for each repository.
  bool list_files = false;
};

/// Compares as far as both sides know. A tree is compared with its own manifest, too: what is not as that says, nothing
/// explains. What nothing explains stands first. Equal manifests are equal wherever they lie.
emit::DiffReport diff(const DiffInput& a, const DiffInput& b, const DiffOptions& options);

}  // namespace torchpatch::ops
