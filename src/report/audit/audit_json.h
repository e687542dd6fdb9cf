// SPDX-License-Identifier: BSD-3-Clause
/// Changed lines as JSON (internal).
#pragma once

#include <vector>

#include "model/audit.h"
#include "support/json.h"

namespace torchpatch::report {

/// Returns an array of hunks, each an array of lines (docs/formats.md).
Json hunks_json(const std::vector<AuditHunk>& hunks);

}  // namespace torchpatch::report
