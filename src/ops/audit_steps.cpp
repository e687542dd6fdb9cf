// SPDX-License-Identifier: BSD-3-Clause
#include "ops/audit_steps.h"

#include <algorithm>

#include "ops/prepared_files.h"
#include "patch/parse_patch.h"

namespace torchpatch::ops {

namespace {

/// Returns the name that the catalog has for a patch, or that of its copy.
std::string file_of(const ManifestPatch& patch, const Catalog& catalog) {
  const auto patchset = catalog.patchsets.find(patch.patchset);
  if (patchset == catalog.patchsets.end()) return patch.file;
  for (const Variant& variant : patchset->second.variants) {
    for (const Patch& each : variant.patches) {
      if (each.sha256 == patch.sha256) return each.file;
    }
  }
  return patch.file;
}

}  // namespace

std::vector<AuditStep> plan_steps(const Plan& plan) {
  std::vector<AuditStep> steps;
  for (const PlannedPatch& planned : plan.patches) {
    const Patch& patch = *planned.patch;
    AuditStep step{planned.patchset, planned.variant, patch.file,     patch.repository,
                   patch.sha256,     patch.text,      planned.issues, {}};
    for (const CertificateEdge& edge : planned.edges) step.edges.push_back({edge.path, edge.before, edge.after});
    step.parsed = patch::parse_patch(step.text, step.name());
    steps.push_back(std::move(step));
  }
  return steps;
}

std::vector<AuditStep> tree_steps(const std::string& root, const Manifest& manifest, const Catalog& catalog) {
  std::vector<AuditStep> steps;
  for (const ManifestPatch& patch : manifest.patches) {
    AuditStep step{
        patch.patchset, patch.variant, file_of(patch, catalog), patch.repository, patch.sha256, {}, patch.issues, {}};
    for (const ManifestEdge& edge : patch.edges) step.edges.push_back({edge.path, edge.before, edge.after});
    step.text = read_patch_copy(root, patch);
    step.parsed = patch::parse_patch(step.text, step.file);
    steps.push_back(std::move(step));
  }
  return steps;
}

std::vector<AuditStep> catalog_steps(const Catalog& catalog) {
  std::vector<AuditStep> steps;
  for (const auto& [id, patchset] : catalog.patchsets) {
    for (const Variant& variant : patchset.variants) {
      for (const Patch& patch : variant.patches) {
        AuditStep step{id, variant.id, patch.file, patch.repository, patch.sha256, patch.text, issues_of(catalog, id),
                       {}};
        step.parsed = patch::parse_patch(step.text, step.name());
        steps.push_back(std::move(step));
      }
    }
  }
  return steps;
}

std::vector<std::string> issues_of(const Catalog& catalog, const std::string& patchset) {
  std::vector<std::string> issues;
  for (const auto& [id, issue] : catalog.issues) {
    const bool is_for =
        std::any_of(issue.fixes.begin(), issue.fixes.end(), [&](const Fix& fix) { return fix.patchset == patchset; });
    if (is_for) issues.push_back(id);
  }
  return issues;
}

}  // namespace torchpatch::ops
