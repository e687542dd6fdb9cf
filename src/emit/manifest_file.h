// SPDX-License-Identifier: BSD-3-Clause
/// manifest.json: model::Manifest ↔ canonical JSON (docs/formats.md, docs/schema/manifest.schema.json).
#pragma once

#include <string>
#include <string_view>

#include "model/manifest.h"

namespace torchpatch::emit {

/// Returns the file's bytes: 2-space indent, fixed key order, one final newline; equal values give equal bytes.
std::string manifest_json(const Manifest& manifest);

/// Reads it back, strictly; nothing in it is trusted. Raises data with all findings (`file` names it in messages), unsafe for
/// paths that the path rule refuses.
Manifest parse_manifest(std::string_view bytes, const std::string& file);

}  // namespace torchpatch::emit
