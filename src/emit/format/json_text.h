// SPDX-License-Identifier: BSD-3-Clause
/// How this layer prints JSON (internal).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace torchpatch::emit {

/// Returns the canonical bytes: 2-space indent, keys in the order of `value`, one final newline. Raises unsafe for text
/// that is not UTF-8; `what` names the document.
std::string canonical_json(const nlohmann::ordered_json& value, const std::string& what);

/// The same for a report, where bytes that are not UTF-8 (file names found on disk) become U+FFFD.
std::string report_json(const nlohmann::ordered_json& value);

}  // namespace torchpatch::emit
