// SPDX-License-Identifier: BSD-3-Clause
/// What patchsets must agree about among themselves.
#pragma once

#include "catalog/assembly.h"

namespace torchpatch::catalog {

/// Findings: an `after` that names no patchset, and circles of them.
void check_order(Assembly& assembly);

/// Findings: two patchsets that add the same file to some release.
void check_added_files(Assembly& assembly);

}  // namespace torchpatch::catalog
