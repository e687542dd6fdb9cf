// SPDX-License-Identifier: BSD-3-Clause
/// The part of manifest.json that says what the tree is made of (internal).
#pragma once

#include "model/manifest.h"
#include "record/manifest_file.h"

namespace torchpatch::record {

/// Reads repositories, patches, added files, issues, environment and tool bounds. `manifest` has its components.
void read_contents(ManifestReader& reader, ObjectReader& root, Manifest& manifest);

}  // namespace torchpatch::record
