// SPDX-License-Identifier: BSD-3-Clause
#include <nlohmann/json.hpp>

#include "emit/audit/audit_report.h"
#include "emit/audit/hunk_json.h"
#include "emit/format/json_text.h"
#include "emit/format/model_json.h"
#include "support/digest.h"
#include "support/text.h"

namespace torchpatch::emit {
namespace {

using Json = nlohmann::ordered_json;

Json file_json(const AuditFile& file) {
  return {{"path", file.path},
          {"old_path", text_or_null(file.old_path)},
          {"change", file.change},
          {"mode", text_or_null(file.mode)},
          {"before", id_or_null(file.before)},
          {"after", id_or_null(file.after)},
          {"binary", file.is_binary},
          {"added", file.added},
          {"removed", file.removed},
          {"hunks", hunks_json(file.hunks)}};
}

Json risks_json(const std::vector<AuditRisk>& risks) {
  Json array = Json::array();
  for (const AuditRisk& risk : risks) {
    Json object = {{"kind", risk.kind}, {"path", risk.path}};
    if (risk.line > 0) object["line"] = risk.line;
    object["why"] = risk.why;
    array.push_back(std::move(object));
  }
  return array;
}

Json upstream_json(const std::optional<AuditUpstream>& upstream) {
  if (!upstream) return nullptr;
  Json files = Json::array();
  for (const AuditUpstreamFile& file : upstream->files) {
    files.push_back({{"path", file.path}, {"blob", id_or_null(file.blob)}, {"same", file.is_same}});
  }
  return {{"since", text_or_null(upstream->since)}, {"until", text_or_null(upstream->until)},
          {"newest", upstream->is_newest},          {"files", std::move(files)},
          {"looked_at", upstream->looked_at},       {"not_looked_at", upstream->not_looked_at}};
}

void add_catalog_members(const AuditPatch& patch, Json& object) {
  Json places = Json::array(), certificates = Json::array();
  for (const AuditPlaces& each : patch.places) {
    places.push_back({{"releases", each.releases}, {"boards", each.boards}});
  }
  for (const AuditCertificate& each : patch.certificates) {
    certificates.push_back({{"path", each.path},
                            {"before", id_or_null(each.before)},
                            {"after", id_or_null(each.after)},
                            {"releases", each.releases}});
  }
  object["shown_in"] = text_or_null(patch.shown_in);
  object["places"] = std::move(places);
  object["certificates"] = std::move(certificates);
}

Json patch_json(const AuditPatch& patch, AuditScope scope) {
  Json issues = Json::array(), lint = Json::array(), proofs = Json::array(), files = Json::array();
  for (const AuditIssue& issue : patch.issues) {
    issues.push_back(
        {{"id", issue.id}, {"title", text_or_null(issue.title)}, {"severity", text_or_null(issue.severity)}});
  }
  for (const AuditLint& finding : patch.lint) {
    lint.push_back({{"line", finding.line}, {"message", finding.message}});
  }
  for (const AuditProof& proof : patch.proofs) {
    proofs.push_back(
        {{"id", proof.id}, {"claim", proof.claim}, {"state", proof.state}, {"date", text_or_null(proof.date)}});
  }
  for (const AuditFile& file : patch.files) files.push_back(file_json(file));
  Json object = {{"patchset", patch.patchset},
                 {"variant", patch.variant},
                 {"file", patch.file},
                 {"repository", patch.repository.text()},
                 {"sha256", patch.sha256.hex()},
                 {"issues", std::move(issues)},
                 {"origin", {{"kind", text_or_null(patch.origin.kind)}, {"source", text_or_null(patch.origin.source)}}},
                 {"header", object_json(patch.fields)},
                 {"lint", std::move(lint)},
                 {"in_catalog", patch.is_in_catalog},
                 {"certified", patch.is_certified},
                 {"proofs", std::move(proofs)},
                 {"overlaps", patch.overlaps},
                 {"risks", risks_json(patch.risks)},
                 {"upstream", upstream_json(patch.upstream)},
                 {"in_files", patch.is_in_files}};
  if (scope == AuditScope::catalog) add_catalog_members(patch, object);
  object["files"] = std::move(files);
  return object;
}

const char* scope_name(AuditScope scope) {
  switch (scope) {
    case AuditScope::plan:
      return "plan";
    case AuditScope::tree:
      return "tree";
    case AuditScope::catalog:
      return "catalog";
  }
  return "";
}

Json report_object(const AuditReport& report) {
  Json patches = Json::array(), added = Json::array();
  for (const AuditPatch& patch : report.patches) patches.push_back(patch_json(patch, report.scope));
  for (const AuditAddedFile& file : report.added_files) {
    added.push_back({{"patchset", file.patchset},
                     {"variant", file.variant},
                     {"repository", file.repository.text()},
                     {"path", file.path},
                     {"executable", file.is_executable},
                     {"size", file.size},
                     {"sha256", file.sha256.hex()},
                     {"issues", file.issues}});
  }
  return {{"schema", 1},
          {"scope", scope_name(report.scope)},
          {"release", text_or_null(report.release)},
          {"board", text_or_null(report.board)},
          {"image", text_or_null(report.image)},
          {"plan", report.plan ? Json(report.plan->hex()) : Json()},
          {"sources", report.has_sources},
          {"patches", std::move(patches)},
          {"added_files", std::move(added)}};
}

}  // namespace

Sha256 audit_digest(const AuditReport& report) { return sha256(report_json(report_object(report))); }

std::string audit_json(const AuditReport& report) {
  Json object = report_object(report);
  object["digest"] = sha256(report_json(object)).hex();  // that of audit_digest
  return report_json(object);
}

}  // namespace torchpatch::emit
