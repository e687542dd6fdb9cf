// SPDX-License-Identifier: BSD-3-Clause
/// Changed lines as HTML, in both views (internal; audit.css shows one of them).
#pragma once

#include <map>
#include <string>

#include "emit/audit/audit_report.h"

namespace torchpatch::emit {

/// What stands below a line of a hunk: index of the line → HTML.
using LineNotes = std::map<std::size_t, std::string>;

/// Returns the lines side by side and as one column, as tables named `caption`; a long run of unchanged lines is folded
/// in the middle.
std::string hunk_html(const AuditHunk& hunk, const std::string& caption, const LineNotes& notes);

}  // namespace torchpatch::emit
