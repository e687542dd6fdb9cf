// SPDX-License-Identifier: BSD-3-Clause
/// Changed lines as JSON (internal).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "emit/audit/audit_report.h"

namespace torchpatch::emit {

/// Returns an array of hunks, each an array of lines (docs/formats.md).
nlohmann::ordered_json hunks_json(const std::vector<AuditHunk>& hunks);

}  // namespace torchpatch::emit
