// SPDX-License-Identifier: BSD-3-Clause
/// A tree whose manifest was edited by someone who covers his tracks.
#pragma once

#include <string>

#include "model/manifest.h"

namespace torchpatch::test {

/// Writes `forged` as the manifest of the tree at `root`, and the companions and sums that agree with it and with what
/// lies on disk.
void forge_manifest(const std::string& root, Manifest forged);

}  // namespace torchpatch::test
