// SPDX-License-Identifier: BSD-3-Clause
#include "upkeep/audit/audit.h"

#include <algorithm>
#include <array>

#include "model/proof.h"
#include "patch/review.h"
#include "support/text.h"
#include "trees/verify/verify.h"

namespace torchpatch::upkeep {

namespace {

const Patch* find_patch(const Variant& variant, const Sha256& sha256) {
  return find_where(variant.patches, [&](const Patch& patch) { return patch.sha256 == sha256; });
}

/// Returns the catalog's name for a patch, or that of its copy.
std::string file_of(const ManifestPatch& patch, const Catalog& catalog) {
  const Patchset* const patchset = find_value(catalog.patchsets, patch.patchset);
  if (!patchset) return patch.file;
  for (const Variant& variant : patchset->variants)
    if (const Patch* const known = find_patch(variant, patch.sha256)) return known->file;
  return patch.file;
}

/// Indexed by ChangeKind.
constexpr std::array<const char*, 5> kChangeNames = {"modify", "create", "remove", "rename", "copy"};

AuditFile describe_file(const patch::FilePatch& file, const AuditStep& step) {
  // A copy has no edge for its unchanged source.
  const auto edge_of = [&](const std::string& path) {
    return find_where(step.edges, [&](const PatchEdge& edge) { return edge.path == path; });
  };
  AuditFile entry;
  entry.path = file.path();
  if (!file.old_path.empty() && file.old_path != entry.path) entry.old_path = file.old_path;
  entry.change = kChangeNames[static_cast<std::size_t>(file.kind)];
  if (file.new_mode && file.old_mode != file.new_mode)
    entry.mode = concat(file.old_mode ? concat(name_of(*file.old_mode), " to ") : "", name_of(*file.new_mode));
  entry.is_binary = file.binary.has_value();
  if (const auto* edge = edge_of(file.old_path.empty() ? file.new_path : file.old_path)) entry.before = edge->before;
  if (const auto* edge = edge_of(entry.path)) entry.after = edge->after;
  entry.hunks = audit_hunks(file.hunks);
  for (const AuditHunk& hunk : entry.hunks) {
    entry.added += static_cast<std::size_t>(std::ranges::count(hunk, '+', &AuditLine::kind));
    entry.removed += static_cast<std::size_t>(std::ranges::count(hunk, '-', &AuditLine::kind));
  }
  return entry;
}

/// Parses "backport, https://…": the part before the comma is the kind, if it is one of DEP-3's.
void add_origin(const patch::PatchHeader& header, AuditPatch& entry) {
  const patch::HeaderField* field = header.find("Origin");
  if (!field) return;
  const std::string_view value = field->value;
  const std::size_t comma = std::min(value.find(','), value.size());
  const std::string kind(value.substr(0, comma));
  const bool is_kind = std::ranges::count(patch::kOriginKinds, kind) > 0;
  if (is_kind) entry.origin_kind = kind;
  entry.origin_source = is_kind ? trim(value.substr(comma).substr(comma < value.size())) : value;
}

/// Records for each patch which others change its files.
void find_overlaps(std::vector<AuditPatch>& patches) {
  std::map<std::pair<RepositoryPath, std::string>, std::set<std::size_t>> changers;
  for (std::size_t i = 0; i < patches.size(); ++i)
    for (const AuditFile& file : patches[i].files) changers[{patches[i].repository, file.path}].insert(i);
  for (const auto& [place, indexes] : changers) {
    for (const std::size_t index : indexes) {
      for (const std::size_t other : indexes) {
        if (other == index) continue;
        patches[index].overlaps.push_back(
            concat(patches[other].patchset, "/", patches[other].file, " in ", place.second));
      }
    }
  }
}

}  // namespace

std::vector<AuditStep> plan_steps(const Plan& plan) {
  std::vector<AuditStep> steps;
  for (const PlannedPatch& planned : plan.patches) {
    const Patch& patch = *planned.patch;
    AuditStep step{planned.patchset, planned.variant, patch.file,     patch.repository,
                   patch.sha256,     patch.text,      planned.issues, {}};
    step.edges = planned.edges;
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
    for (const PatchEdge& edge : patch.edges) step.edges.push_back({edge.path, edge.before, edge.after});
    step.text = trees::read_patch_copy(root, patch);
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
        const auto is_it = [&patch, &id = id](const AuditStep& each) {
          return each.patchset == id && each.file == patch.file;
        };
        if (std::ranges::any_of(steps, is_it)) continue;  // shared by variants
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
  for (const auto& [id, issue] : catalog.issues)
    if (std::ranges::count(issue.fixes, patchset, &Fix::patchset) > 0) issues.push_back(id);
  return issues;
}

AuditPatch describe_patch(const AuditStep& step, const std::string& release, const Catalog& catalog) {
  const patch::PatchHeader header = patch::parse_header(step.parsed.preamble);
  AuditPatch entry;
  entry.patchset = step.patchset;
  entry.variant = step.variant;
  entry.file = step.file;
  entry.repository = step.repository;
  entry.sha256 = step.sha256;
  for (const std::string& id : step.issues) {
    const Issue* const issue = find_value(catalog.issues, id);
    entry.issues.push_back(issue ? AuditIssue{id, issue->title, issue->severity} : AuditIssue{id, "", ""});
  }
  add_origin(header, entry);
  for (const patch::HeaderField& field : header.fields) entry.fields.emplace_back(field.name, field.value);
  for (const patch::LintFinding& finding : patch::lint_patch(step.parsed))
    entry.lint.push_back({finding.line, finding.message});
  const Patchset* const patchset = find_value(catalog.patchsets, step.patchset);
  entry.is_in_catalog = patchset && std::ranges::any_of(patchset->variants, [&](const Variant& variant) {
                          return variant.id == step.variant && find_patch(variant, step.sha256);
                        });
  entry.is_certified = !step.edges.empty();
  if (entry.is_in_catalog)
    for (const ProofState& state : proof_states(*patchset, catalog))
      if (state.release->version.text() == release && state.variant->id == step.variant)
        entry.proofs.push_back(
            {state.proof->id, state.proof->claim, state_name(state), state.record ? state.record->date : ""});
  if (!step.repository.path.empty())
    entry.risks.push_back(
        {"submodule", step.repository.text(), 0, "the patch changes a submodule, code of another project"});
  for (const patch::Risk& risk : patch::find_risks(step.parsed))
    entry.risks.push_back({patch::risk_name(risk.kind), risk.path, risk.line, risk.why});
  for (const patch::FilePatch& file : step.parsed.files) entry.files.push_back(describe_file(file, step));
  return entry;
}

std::vector<AuditPatch> describe_patches(const std::vector<AuditStep>& steps, const std::string& release,
                                         const Catalog& catalog) {
  std::vector<AuditPatch> patches;
  for (const AuditStep& step : steps) patches.push_back(describe_patch(step, release, catalog));
  find_overlaps(patches);
  return patches;
}

std::vector<std::string> text_lines(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  return split(text, '\n');
}

std::vector<AuditHunk> audit_hunks(const std::vector<patch::Hunk>& hunks) {
  std::vector<AuditHunk> result;
  for (const patch::Hunk& hunk : hunks) {
    const auto changes = patch::word_changes(hunk);
    AuditHunk lines;
    std::uint32_t before = hunk.old_start, after = hunk.new_start;
    for (std::size_t i = 0; i < hunk.lines.size(); ++i) {
      const patch::HunkLine& line = hunk.lines[i];
      AuditLine entry;
      entry.kind = static_cast<char>(line.kind);
      if (line.kind != patch::LineKind::added) entry.before = before++;
      if (line.kind != patch::LineKind::removed) entry.after = after++;
      entry.has_newline = line.text.ends_with('\n');
      entry.text = line.text.substr(0, line.text.size() - (entry.has_newline ? 1 : 0));
      for (const patch::WordSpan& span : changes[i]) entry.changed.emplace_back(span.begin, span.end);
      lines.push_back(std::move(entry));
    }
    result.push_back(std::move(lines));
  }
  return result;
}

}  // namespace torchpatch::upkeep
