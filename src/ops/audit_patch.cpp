// SPDX-License-Identifier: BSD-3-Clause
#include "ops/audit_patch.h"

#include <algorithm>

#include "emit/run/proof_state.h"
#include "patch/header.h"
#include "patch/risk.h"
#include "patch/word_changes.h"
#include "support/text.h"

namespace torchpatch::ops {

namespace {

using patch::ChangeKind;
using patch::LineKind;

const char* change_name(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::modify:
      return "modify";
    case ChangeKind::create:
      return "create";
    case ChangeKind::remove:
      return "remove";
    case ChangeKind::rename:
      return "rename";
    case ChangeKind::copy:
      return "copy";
  }
  return "";
}

std::string mode_text(const patch::FilePatch& file) {
  if (!file.new_mode || file.old_mode == file.new_mode) return {};
  return concat(file.old_mode ? concat(file_mode_text(*file.old_mode), " to ") : "", file_mode_text(*file.new_mode));
}

emit::AuditFile describe_file(const patch::FilePatch& file, const PlannedPatch& planned) {
  emit::AuditFile entry;
  entry.path = file.path();
  if (!file.old_path.empty() && file.old_path != entry.path) entry.old_path = file.old_path;
  entry.change = change_name(file.kind);
  entry.mode = mode_text(file);
  entry.is_binary = file.binary.has_value();
  for (const CertificateEdge& edge : planned.edges) {
    if (edge.path != entry.path) continue;
    entry.before = edge.before;
    entry.after = edge.after;
  }
  for (const patch::Hunk& hunk : file.hunks) {
    for (const patch::HunkLine& line : hunk.lines) {
      if (line.kind == LineKind::added) ++entry.added;
      if (line.kind == LineKind::removed) ++entry.removed;
    }
  }
  return entry;
}

std::vector<emit::AuditProof> proofs_of(const PlannedPatch& planned, const Plan& plan, const Catalog& catalog) {
  std::vector<emit::AuditProof> proofs;
  for (const emit::ProofState& state : emit::proof_states(catalog.patchset(planned.patchset), catalog)) {
    if (state.release != plan.release || state.variant->id != planned.variant) continue;
    proofs.push_back(
        {state.proof->id, state.proof->claim, emit::state_name(state), state.record ? state.record->date : ""});
  }
  return proofs;
}

std::vector<emit::AuditRisk> risks_of(const PlannedPatch& planned, const patch::PatchFile& parsed) {
  std::vector<emit::AuditRisk> risks;
  const RepositoryPath& repository = planned.patch->repository;
  if (!repository.path.empty()) {
    risks.push_back({"submodule", repository.text(), 0, "the patch is one of a submodule, another project's code"});
  }
  for (const patch::Risk& risk : patch::find_risks(parsed)) {
    risks.push_back({patch::risk_name(risk.kind), risk.path, risk.line, risk.why});
  }
  return risks;
}

}  // namespace

emit::AuditPatch describe_patch(const PlannedPatch& planned, const patch::PatchFile& parsed, const Plan& plan,
                                const Catalog& catalog) {
  emit::AuditPatch entry;
  entry.patchset = planned.patchset;
  entry.variant = planned.variant;
  entry.file = planned.patch->file;
  entry.repository = planned.patch->repository;
  entry.sha256 = planned.patch->sha256;
  entry.issues = planned.issues;
  for (const patch::HeaderField& field : patch::parse_header(parsed.preamble).fields) {
    entry.fields.emplace_back(field.name, field.value);
  }
  entry.is_certified = !planned.edges.empty();
  entry.proofs = proofs_of(planned, plan, catalog);
  entry.risks = risks_of(planned, parsed);
  for (const patch::FilePatch& file : parsed.files) entry.files.push_back(describe_file(file, planned));
  return entry;
}

std::vector<emit::AuditHunk> audit_hunks(const std::vector<patch::Hunk>& hunks) {
  std::vector<emit::AuditHunk> result;
  for (const patch::Hunk& hunk : hunks) {
    const auto changes = patch::word_changes(hunk);
    emit::AuditHunk lines;
    std::uint32_t before = hunk.old_start, after = hunk.new_start;
    for (std::size_t i = 0; i < hunk.lines.size(); ++i) {
      const patch::HunkLine& line = hunk.lines[i];
      emit::AuditLine entry;
      entry.kind = static_cast<char>(line.kind);
      if (line.kind != LineKind::added) entry.before = before++;
      if (line.kind != LineKind::removed) entry.after = after++;
      entry.has_newline = line.text.ends_with('\n');
      entry.text = line.text.substr(0, line.text.size() - (entry.has_newline ? 1 : 0));
      for (const patch::WordSpan& span : changes[i]) entry.changed.emplace_back(span.begin, span.end);
      lines.push_back(std::move(entry));
    }
    result.push_back(std::move(lines));
  }
  return result;
}

}  // namespace torchpatch::ops
