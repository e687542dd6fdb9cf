// SPDX-License-Identifier: BSD-3-Clause
/// audit: everything that a reviewer needs to sign off the patches of a plan.
#pragma once

#include "emit/audit/audit_report.h"
#include "model/plan.h"
#include "source/object_source.h"

namespace torchpatch::ops {

struct AuditOptions {
  int context = 10;  ///< unchanged lines around a change, where there are sources
  int jobs = 1;
};

/// Returns the audit of a plan. With `source` each patch is applied, in memory, to the pinned files and shown in them;
/// without it (null) its hunks are shown as the patch has them. Raises source where a commit is nowhere, patch where a
/// patch does not apply.
emit::AuditReport audit(const Plan& plan, const Catalog& catalog, source::ObjectSource* source,
                        const AuditOptions& options, Console& console);

}  // namespace torchpatch::ops
