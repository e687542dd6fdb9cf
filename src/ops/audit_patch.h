// SPDX-License-Identifier: BSD-3-Clause
/// One patch of an audit.
#pragma once

#include "emit/audit/audit_report.h"
#include "model/plan.h"
#include "patch/patch_file.h"

namespace torchpatch::ops {

/// Returns all of the audit of a patch that its text, its certificate and the records say; of its files the hunks are
/// still missing. `parsed` is its text.
emit::AuditPatch describe_patch(const PlannedPatch& planned, const patch::PatchFile& parsed, const Plan& plan,
                                const Catalog& catalog);

/// Returns hunks as a reviewer sees them: with line numbers, and the words that changed.
std::vector<emit::AuditHunk> audit_hunks(const std::vector<patch::Hunk>& hunks);

}  // namespace torchpatch::ops
