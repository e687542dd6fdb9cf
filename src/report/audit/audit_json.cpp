// SPDX-License-Identifier: BSD-3-Clause
#include <set>

#include "record/json.h"
#include "report/audit/audit_report.h"
#include "report/reports.h"
#include "report/words.h"
#include "support/digest.h"
#include "support/text.h"
#include "support/version.h"

namespace torchpatch::report {

namespace {

using record::array_of;

Json line_json(const AuditLine& line) {
  Json object = {{"kind", std::string(1, line.kind)}};
  if (line.before > 0) object["before"] = line.before;
  if (line.after > 0) object["after"] = line.after;
  object["text"] = line.text;
  if (!line.has_newline) object["newline"] = false;
  if (!line.changed.empty()) {
    Json spans = Json::array();
    for (const auto& [begin, end] : line.changed) spans.push_back({begin, end});
    object["changed"] = std::move(spans);
  }
  return object;
}

Json file_json(const AuditFile& file) {
  return {{"path", file.path},
          {"old_path", record::text_or_null(file.old_path)},
          {"change", file.change},
          {"mode", record::text_or_null(file.mode)},
          {"before", record::id_or_null(file.before)},
          {"after", record::id_or_null(file.after)},
          {"binary", file.is_binary},
          {"added", file.added},
          {"removed", file.removed},
          {"hunks", array_of(file.hunks, hunk_json)}};
}

Json risk_json(const AuditRisk& risk) {
  Json object = {{"kind", risk.kind}, {"path", risk.path}};
  if (risk.line > 0) object["line"] = risk.line;
  object["why"] = risk.why;
  return object;
}

Json upstream_file_json(const AuditUpstreamFile& file) {
  return {{"path", file.path},
          {"blob", record::id_or_null(file.blob)},
          {"same", file.is_same},
          {"difference", array_of(file.hunks, hunk_json)}};
}

Json upstream_json(const std::optional<AuditUpstream>& upstream) {
  if (!upstream) return nullptr;
  return {{"since", record::text_or_null(upstream->since)},
          {"until", record::text_or_null(upstream->until)},
          {"newest", upstream->is_newest},
          {"files", array_of(upstream->files, upstream_file_json)},
          {"looked_at", upstream->looked_at},
          {"not_looked_at", upstream->not_looked_at}};
}

Json places_json(const AuditPlaces& places) { return {{"releases", places.releases}, {"boards", places.boards}}; }

Json audit_certificate_json(const AuditCertificate& certificate) {
  return {{"path", certificate.path},
          {"before", record::id_or_null(certificate.before)},
          {"after", record::id_or_null(certificate.after)},
          {"releases", certificate.releases}};
}

Json audit_issue_json(const AuditIssue& issue) {
  return {{"id", issue.id},
          {"title", record::text_or_null(issue.title)},
          {"severity", record::text_or_null(issue.severity)}};
}

Json lint_json(const AuditLint& finding) { return {{"line", finding.line}, {"message", finding.message}}; }

Json audit_proof_json(const AuditProof& proof) {
  return {{"id", proof.id}, {"claim", proof.claim}, {"state", proof.state}, {"date", record::text_or_null(proof.date)}};
}

Json relative_json(const std::optional<AuditRelative>& relative) {
  if (!relative) return nullptr;
  return {{"patch", relative->name}, {"change", name_of(relative->change)}};
}

Json audit_patch_json(const AuditPatch& patch, AuditScope scope) {
  Json object = {
      {"patchset", patch.patchset},
      {"variant", patch.variant},
      {"file", patch.file},
      {"repository", patch.repository.text()},
      {"sha256", patch.sha256.hex()},
      {"issues", array_of(patch.issues, audit_issue_json)},
      {"origin",
       {{"kind", record::text_or_null(patch.origin.kind)}, {"source", record::text_or_null(patch.origin.source)}}},
      {"header", record::object_json(patch.fields)},
      {"lint", array_of(patch.lint, lint_json)},
      {"in_catalog", patch.is_in_catalog},
      {"certified", patch.is_certified},
      {"proofs", array_of(patch.proofs, audit_proof_json)},
      {"overlaps", patch.overlaps},
      {"risks", array_of(patch.risks, risk_json)},
      {"upstream", upstream_json(patch.upstream)},
      {"in_files", patch.is_in_files}};
  if (scope == AuditScope::catalog) {
    object["shown_in"] = record::text_or_null(patch.shown_in);
    object["places"] = array_of(patch.places, places_json);
    object["certificates"] = array_of(patch.certificates, audit_certificate_json);
    object["relative"] = relative_json(patch.relative);
  }
  object["files"] = array_of(patch.files, file_json);
  return object;
}

Json audit_added_file_json(const AuditAddedFile& file) {
  return {{"patchset", file.patchset},
          {"variant", file.variant},
          {"repository", file.repository.text()},
          {"path", file.path},
          {"executable", file.is_executable},
          {"size", file.size},
          {"sha256", file.sha256.hex()},
          {"issues", file.issues}};
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

Json tree_json(const AuditReport& report) {
  if (!report.tree) return nullptr;
  return {{"id", report.tree->tree.hex()},
          {"manifest", report.tree->manifest.hex()},
          {"differences", array_of(report.tree->differences, difference_json)},
          {"options", report.tree->options}};
}

Json commands_json(const AuditCommands& commands) {
  return {{"name", commands.name}, {"lines", commands.lines}, {"sha256", commands.sha256.hex()}};
}

Json script_json(const AuditScript& script) {
  return {{"name", script.name}, {"difference", array_of(script.hunks, hunk_json)}};
}

Json runs_json(const AuditRuns& runs) {
  return {{"variables", array_of(runs.variables, record::setting_json)},
          {"variables_sha256", runs.variables.empty() ? Json() : Json(runs.variables_sha256.hex())},
          {"commands", array_of(runs.commands, commands_json)},
          {"scripts", array_of(runs.scripts, script_json)}};
}

Json approval_json(const AuditApproval& approval) {
  Json object = to_json(approval.what);
  object["signer"] = record::text_or_null(approval.signer);
  object["key"] = record::text_or_null(approval.key);
  object["date"] = record::text_or_null(approval.date);
  object["file"] = record::text_or_null(approval.file);
  return object;
}

Json approvals_json(const AuditReport& report) {
  if (!report.approvals) return nullptr;
  return {{"unapproved_alone", report.is_unapproved_alone},
          {"of", array_of(report.approvals->of, approval_json)},
          {"refused", report.approvals->refused}};
}

Json report_object(const AuditReport& report) {
  return {
      {"schema", 1},
      {"scope", scope_name(report.scope)},
      {"release", record::text_or_null(report.release)},
      {"board", record::text_or_null(report.board)},
      {"image", record::text_or_null(report.image)},
      {"plan", report.plan ? Json(report.plan->hex()) : Json()},
      {"tree", tree_json(report)},
      {"sources", report.has_sources},
      {"patches", array_of(report.patches, [&](const auto& patch) { return audit_patch_json(patch, report.scope); })},
      {"added_files", array_of(report.added_files, audit_added_file_json)},
      {"runs", runs_json(report.runs)},
      {"approvals", approvals_json(report)}};
}

constexpr const char* kSchema =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
constexpr const char* kUncertified = "uncertified";
constexpr const char* kUnproven = "unproven";
constexpr const char* kUnknown = "not-in-catalog";
constexpr const char* kLint = "lint";

/// Returns a path as a relative URI (RFC 3986).
std::string uri_of(const std::string& path) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  constexpr const char* kDigits = "0123456789ABCDEF";
  std::string uri;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (kPlain.find(c) != std::string_view::npos)
      uri += c;
    else
      uri += concat("%", kDigits[byte >> 4], kDigits[byte & 15]);
  }
  return uri;
}

/// What a viewer shows of a file: its place below OUT is not known here, its place in the repository is.
Json location(const AuditPatch& patch, const std::string& path, std::uint32_t line) {
  Json place = {{"artifactLocation", {{"uri", uri_of(path)}, {"uriBaseId", patch.repository.text()}}}};
  if (line > 0) place["region"] = {{"startLine", line}};
  return {{"physicalLocation", std::move(place)}};
}

Json result(const AuditPatch& patch, const std::string& rule, const char* level, const std::string& message,
            const std::string& path, std::uint32_t line) {
  return {{"ruleId", rule},
          {"level", level},
          {"message", {{"text", concat(patch_name(patch), ": ", message)}}},
          {"locations", Json::array({location(patch, path, line)})}};
}

/// Every finding of a patch, the gravest first.
void add_results(const AuditPatch& patch, Json& results) {
  const std::string first = patch.files.empty() ? patch.file : patch.files.front().path;
  if (!patch.is_certified) results.push_back(result(patch, kUncertified, "error", kNoCertificate, first, 0));
  for (const AuditProof& proof : patch.proofs) {
    if (proof.state == "proven") continue;
    results.push_back(result(patch, kUnproven, "warning", concat("proof ", proof.id, " is ", proof.state), first, 0));
  }
  if (!patch.is_in_catalog) results.push_back(result(patch, kUnknown, "warning", kNotInCatalog, first, 0));
  for (const AuditLint& finding : patch.lint)
    results.push_back(result(patch, kLint, "warning", lint_words(finding), first, 0));
  for (const AuditRisk& risk : patch.risks) {
    const bool is_file = risk.kind != "submodule";
    results.push_back(result(patch, risk.kind, "note", risk.why, is_file ? risk.path : first, risk.line));
  }
}

void add_unapproved(const AuditApprovals& approvals, Json& results) {
  for (const AuditApproval& each : approvals.of) {
    if (!each.key.empty()) continue;
    const std::string words = concat("nobody approved ", name_of(each.what.kind), " ", each.what.name);
    results.push_back({{"ruleId", "unapproved"}, {"level", "warning"}, {"message", {{"text", words}}}});
  }
}

Json rules_of(Json& results) {
  std::set<std::string> ids;
  for (Json& each : results.items) ids.insert(each["ruleId"].string);
  Json rules = Json::array();
  for (const std::string& id : ids) rules.push_back({{"id", id}});
  return rules;
}

Json bases_of(const AuditReport& report) {
  Json bases = Json::object();
  for (const AuditPatch& patch : report.patches)
    bases[patch.repository.text()] = {{"description", {{"text", concat("the repository ", patch.repository.text())}}}};
  return bases;
}

}  // namespace

Json hunk_json(const AuditHunk& hunk) { return array_of(hunk, line_json); }

Sha256 audit_digest(const AuditReport& report) { return sha256(report_json(report_object(report))); }

std::string audit_json(const AuditReport& report) {
  Json object = report_object(report);
  object["digest"] = sha256(report_json(object)).hex();  // that of audit_digest
  return report_json(object);
}

std::string audit_sarif(const AuditReport& report) {
  Json results = Json::array();
  if (report.tree) {
    for (const Difference& difference : report.tree->differences) {
      results.push_back(
          {{"ruleId", "not-verified"}, {"level", "error"}, {"message", {{"text", difference_text(difference)}}}});
    }
  }
  for (const AuditPatch& patch : report.patches) add_results(patch, results);
  if (report.approvals) add_unapproved(*report.approvals, results);
  Json run = {{"tool", {{"driver", {{"name", "torchpatch"}, {"version", kToolVersion}, {"rules", rules_of(results)}}}}},
              {"originalUriBaseIds", bases_of(report)},
              {"results", std::move(results)},
              {"properties",
               {{"subject", audit_subject(report)},
                {"plan", report.plan ? Json(report.plan->hex()) : Json()},
                {"digest", audit_digest(report).hex()}}}};
  return report_json({{"$schema", kSchema}, {"version", "2.1.0"}, {"runs", Json::array({std::move(run)})}});
}

}  // namespace torchpatch::report
