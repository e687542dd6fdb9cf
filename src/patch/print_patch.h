// SPDX-License-Identifier: BSD-3-Clause
/// PatchFile → patch text.
#pragma once

#include <string>

#include "patch/patch_file.h"

namespace torchpatch::patch {

/// Returns the text of `patch` as git diff writes it; parse_patch gives `patch` back.
std::string print_patch(const PatchFile& patch);

}  // namespace torchpatch::patch
