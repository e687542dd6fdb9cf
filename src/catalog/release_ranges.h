// SPDX-License-Identifier: BSD-3-Clause
/// Questions about two ranges of releases.
#pragma once

#include "model/version.h"

namespace torchpatch::catalog {

/// Returns true where some version meets both ranges.
bool have_common_release(const VersionRange& one, const VersionRange& other);

}  // namespace torchpatch::catalog
