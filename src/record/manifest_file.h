// SPDX-License-Identifier: BSD-3-Clause
/// Files in OUT/torchpatch/ that programs read: manifest.json (docs/schema/manifest.schema.json) and SHA256SUMS.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/manifest.h"
#include "support/digest.h"

namespace torchpatch::record {

// manifest.json: model's Manifest ↔ canonical JSON (docs/formats.md).

/// Returns the file's bytes: 2-space indent, fixed key order, one final newline; equal values give equal bytes. Lists
/// without meaningful order (repositories, executables, links, side files, origins) are sorted. An issue without a fix
/// has no fix, kind and variant. Raises unsafe for invalid UTF-8.
std::string manifest_json(const Manifest& manifest);

/// Returns the file's keys whose values differ: {"links", "timestamp"}.
std::vector<std::string> differing_fields(const Manifest& left, const Manifest& right);

/// Parses it strictly, without trusting it. What manifest_json sorts must be sorted and without duplicates, every
/// repository that is referenced must be listed, and the last byte must be the newline. Raises with all findings and
/// their lines (`file` names the bytes): unsafe if the path rule refuses a path or link, data otherwise.
Manifest parse_manifest(std::string_view bytes, const std::string& file);

// SHA256SUMS, in the format of sha256sum -c.

/// Path relative to OUT → SHA-256, for every regular file of OUT except SHA256SUMS itself.
using Sums = std::map<std::string, Sha256>;

/// Returns "<hex>  <path>\n" in bytewise order of the paths; paths with a backslash are escaped as by coreutils. Raises
/// unsafe for a path that the path rule refuses.
std::string sums_text(const Sums& sums);

/// Parses exactly what sums_text writes. Raises data with the line for anything else (order, duplicate, form; `file`
/// names the bytes); unsafe for a path that the path rule refuses.
Sums parse_sums(std::string_view bytes, const std::string& file);

}  // namespace torchpatch::record
