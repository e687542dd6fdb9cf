// SPDX-License-Identifier: BSD-3-Clause
/// One patch of an audit.
#pragma once

#include <string>
#include <vector>

#include "emit/audit/audit_report.h"
#include "ops/audit_steps.h"

namespace torchpatch::ops {

/// Returns all of the audit of a patch that its text, its certificate and the records say of it at a release; of its
/// files the hunks are as the patch has them.
emit::AuditPatch describe_patch(const AuditStep& step, const std::string& release, const Catalog& catalog);

/// Says of each patch which others change its files.
void find_overlaps(std::vector<emit::AuditPatch>& patches);

/// Returns hunks as a reviewer sees them: with line numbers, and the words that changed.
std::vector<emit::AuditHunk> audit_hunks(const std::vector<patch::Hunk>& hunks);

}  // namespace torchpatch::ops
