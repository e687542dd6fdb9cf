// SPDX-License-Identifier: BSD-3-Clause
/// Files of OUT/torchpatch/ that programs read again: manifest.json (docs/schema/manifest.schema.json) and SHA256SUMS.
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
/// whose order means nothing (repositories, executables, links, side files, origins) are sorted. An issue
/// that no fix answers carries neither fix nor kind nor variant. Raises unsafe for text that is not UTF-8.
std::string manifest_json(const Manifest& manifest);

/// Returns the keys of the file whose values differ: {"links", "timestamp"}.
std::vector<std::string> differing_fields(const Manifest& left, const Manifest& right);

/// Reads it back, strictly; nothing in it is trusted. What manifest_json sorts must be sorted and without duplicates,
/// every repository that is named must be listed, and the last byte must be the newline. Raises with all findings and
/// their lines (`file` names the bytes): unsafe where the path rule refuses a path or a link, data otherwise.
Manifest parse_manifest(std::string_view bytes, const std::string& file);

// SHA256SUMS: what sha256sum -c reads.

/// Path relative to OUT → SHA-256, for every regular file of OUT but SHA256SUMS itself.
using Sums = std::map<std::string, Sha256>;

/// Returns "<hex>  <path>\n" in bytewise order of the paths; a path with a backslash as coreutils escapes it. Raises
/// unsafe for a path that the path rule refuses.
std::string sums_text(const Sums& sums);

/// Reads exactly what sums_text writes. Raises data with the line where `bytes` (`file` names them) is anything else:
/// order, duplicate, form; unsafe for a path that the path rule refuses.
Sums parse_sums(std::string_view bytes, const std::string& file);

}  // namespace torchpatch::record
