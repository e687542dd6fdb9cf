// SPDX-License-Identifier: BSD-3-Clause
/// The rules that cross files, checked when all layers are laid.
#pragma once

#include "catalog/assembly.h"

namespace torchpatch::catalog {

/// Findings: a fix whose patchset is not there or is of another kind, fix ids and board names that occur twice, board
/// names in a `when`, `after` that names nothing or goes in a circle, two patchsets that add one file.
void check_references(Assembly& assembly);

}  // namespace torchpatch::catalog
