// SPDX-License-Identifier: BSD-3-Clause
#include "emit/audit/audit_report.h"

namespace torchpatch::emit {

std::string audit_html(const AuditReport&) { return {}; }

}  // namespace torchpatch::emit
