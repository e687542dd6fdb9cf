// SPDX-License-Identifier: BSD-3-Clause
/// What prepare prints when it is done.
#pragma once

#include <string>

#include "ops/prepare/prepare.h"

namespace torchpatch::cli {

/// Returns the summary as text; every line of it follows from `prepared`.
std::string prepare_summary(const ops::Prepared& prepared);

}  // namespace torchpatch::cli
