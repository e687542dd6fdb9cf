// SPDX-License-Identifier: BSD-3-Clause
/// One patch of an audit.
#pragma once

#include <string>
#include <vector>

#include "emit/audit/audit_report.h"
#include "model/manifest.h"
#include "model/plan.h"
#include "patch/chain.h"
#include "patch/patch_file.h"

namespace torchpatch::ops {

/// A patch to audit, whoever has it.
struct AuditStep {
  std::string patchset, variant;
  std::string file;  ///< relative to the patchset, or below torchpatch/ of a prepared tree
  RepositoryPath repository;
  Sha256 sha256;
  std::string text;
  std::vector<std::string> issues;
  std::vector<patch::ExpectedEdge> edges;  ///< empty = not certified
  patch::PatchFile parsed{};

  std::string name() const { return patchset + "/" + file; }
};

/// Returns the patches of a plan, parsed. Raises data and unsafe as parse_patch.
std::vector<AuditStep> audit_steps(const Plan& plan);

/// Returns all of the audit of a patch that its text, its certificate and the records say of it at a release; of its
/// files the hunks are as the patch has them.
emit::AuditPatch describe_patch(const AuditStep& step, const std::string& release, const Catalog& catalog);

/// Says of each patch which others change its files.
void find_overlaps(std::vector<emit::AuditPatch>& patches);

/// Returns hunks as a reviewer sees them: with line numbers, and the words that changed.
std::vector<emit::AuditHunk> audit_hunks(const std::vector<patch::Hunk>& hunks);

}  // namespace torchpatch::ops
