// SPDX-License-Identifier: BSD-3-Clause
/// The patches that an audit is of, whoever has them.
#pragma once

#include <string>
#include <vector>

#include "model/audit.h"
#include "model/manifest.h"
#include "model/plan.h"
#include "patch/apply.h"
#include "patch/patch_file.h"
#include "source/closure/object_source.h"

namespace torchpatch::upkeep {

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

/// Returns that of all steps of a series, and of each patch which others change its files.
std::vector<AuditPatch> describe_patches(const std::vector<AuditStep>& steps, const std::string& release,
                                         const Catalog& catalog);

/// Returns hunks as a reviewer sees them: with line numbers, and the words that changed.
std::vector<AuditHunk> audit_hunks(const std::vector<patch::Hunk>& hunks);

/// Returns the lines of a text, as patch::diff_lines() takes them.
std::vector<std::string> text_lines(std::string_view text);

// What became of patches.

/// Looks for each patch in the releases of the catalog that come after its own (`releases`, one a step; empty: it is
/// not looked for) and fills in `upstream`. A release has a change where each file that the patch changes is the very
/// blob that the patch makes, or the change can be taken back out of the file there; a file that the patch removes must
/// be gone, which alone proves nothing. Only what this needs is read; a release of which something is nowhere is named
/// as not looked at. Where repositories only stand in for upstream nothing is looked for. Raises as run_lookups.
void look_in_later_releases(const std::vector<std::string>& releases, const std::vector<AuditStep>& steps,
                            const Catalog& catalog, source::ObjectSource& source, int jobs, Console& console,
                            std::vector<AuditPatch>& entries);

// How patches of one purpose differ, in variants or in series.

/// Returns same, shifted or changed.
SeriesChange change_between(const AuditStep& before, const AuditStep& after);

// audit --against: which patch of one series is which of another, and how it changed.

/// Pairs the patches of two series, by equal text, then by what they have in common: within a patchset a fifth of their
/// changed lines or the same title is enough, between patchsets it takes half. Returns what became of each; titles of
/// the sides are for the caller to fill in.
SeriesReport compare_series(const std::vector<AuditStep>& before, const std::vector<AuditStep>& after);

}  // namespace torchpatch::upkeep
