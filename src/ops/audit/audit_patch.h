// SPDX-License-Identifier: BSD-3-Clause
/// The patches that an audit is of, whoever has them.
#pragma once

#include <string>
#include <vector>

#include "model/audit.h"
#include "model/manifest.h"
#include "model/plan.h"
#include "patch/chain.h"
#include "patch/patch_file.h"

namespace torchpatch::ops {

struct AuditStep {
  std::string patchset, variant;
  std::string file;  ///< relative to the patchset; of a patch that no catalog has, below torchpatch/ of the tree
  RepositoryPath repository;
  Sha256 sha256;
  std::string text;
  std::vector<std::string> issues;
  std::vector<patch::Edge> edges;  ///< empty = not certified
  patch::PatchFile parsed{};

  std::string name() const { return patchset + "/" + file; }
};

/// Each returns patches, parsed; raises data and unsafe as parse_patch.
/// Those of a plan, in the order of application.
std::vector<AuditStep> plan_steps(const Plan& plan);
/// Those of a prepared tree, by its manifest, from the copies beside it. Raises data where a copy is not the patch that
/// the manifest names.
std::vector<AuditStep> tree_steps(const std::string& root, const Manifest& manifest, const Catalog& catalog);
/// All of a catalog, by patchset and variant, without edges.
std::vector<AuditStep> catalog_steps(const Catalog& catalog);

/// Returns the issues that have a fix with this patchset.
std::vector<std::string> issues_of(const Catalog& catalog, const std::string& patchset);

// One patch of an audit.

/// Returns all of the audit of a patch that its text, its certificate and the records say of it at a release; of its
/// files the hunks are as the patch has them.
AuditPatch describe_patch(const AuditStep& step, const std::string& release, const Catalog& catalog);

/// Says of each patch which others change its files.
void find_overlaps(std::vector<AuditPatch>& patches);

/// Returns hunks as a reviewer sees them: with line numbers, and the words that changed.
std::vector<AuditHunk> audit_hunks(const std::vector<patch::Hunk>& hunks);

}  // namespace torchpatch::ops
