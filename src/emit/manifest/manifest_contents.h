// SPDX-License-Identifier: BSD-3-Clause
/// The part of manifest.json that says what the tree is made of (internal).
#pragma once

#include "emit/manifest/manifest_reader.h"
#include "model/manifest.h"

namespace torchpatch::emit {

/// Reads repositories, patches, added files, issues, environment and tool bounds. `manifest` has its components.
void read_contents(ManifestReader& reader, ObjectReader& root, Manifest& manifest);

}  // namespace torchpatch::emit
