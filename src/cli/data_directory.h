// SPDX-License-Identifier: BSD-3-Clause
/// Where the shipped catalog is.
#pragma once

#include <string>

#include "cli/environment.h"

namespace torchpatch::cli {

/// Returns TORCHPATCH_DATA where it is set; else <prefix>/share/torchpatch for a program in <prefix>/bin, wherever the
/// prefix was moved to (a build directory links its share/torchpatch to the checkout). Raises environment where there
/// is no catalog.
std::string data_directory(const Environment& environment);

}  // namespace torchpatch::cli
