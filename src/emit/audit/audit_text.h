// SPDX-License-Identifier: BSD-3-Clause
/// The audit for a terminal (internal).
#pragma once

#include <string>

#include "emit/audit/audit_report.h"

namespace torchpatch::emit {

/// Returns the audit as plain text; nothing in it moves a terminal's cursor.
std::string audit_text(const AuditReport& report);

}  // namespace torchpatch::emit
