// SPDX-License-Identifier: BSD-3-Clause
/// SHA256SUMS: what sha256sum -c reads.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "support/digest.h"

namespace torchpatch::record {

/// Path relative to OUT → SHA-256, for every regular file of OUT but SHA256SUMS itself.
using Sums = std::map<std::string, Sha256>;

/// Returns "<hex>  <path>\n" in bytewise order of the paths; a path with a backslash as coreutils escapes it. Raises
/// unsafe for a path that the path rule refuses.
std::string sums_text(const Sums& sums);

/// Reads exactly what sums_text writes. Raises data with the line where `bytes` (`file` names them) is anything else:
/// order, duplicate, form; unsafe for a path that the path rule refuses.
Sums parse_sums(std::string_view bytes, const std::string& file);

}  // namespace torchpatch::record
