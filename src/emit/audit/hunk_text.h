// SPDX-License-Identifier: BSD-3-Clause
/// Changed lines for a terminal (internal).
#pragma once

#include <string>

#include "emit/audit/audit_report.h"

namespace torchpatch::emit {

/// Returns the lines of a hunk with their numbers; changed words stand out where there is colour. Nothing in them moves
/// a cursor.
std::string hunk_text(const AuditHunk& hunk, TextColor color);

/// Returns a hunk as a unified diff has it, "@@ -12,7 +12,9 @@" first.
std::string hunk_diff(const AuditHunk& hunk);

}  // namespace torchpatch::emit
