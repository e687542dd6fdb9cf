// SPDX-License-Identifier: BSD-3-Clause
#include <set>

#include "document/html.h"
#include "report/audit/audit_report.h"
#include "report/reports.h"
#include "report/words.h"
#include "support/digest.h"
#include "support/program.h"
#include "support/text.h"

namespace torchpatch::report {

namespace {

constexpr const char* kSchema =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
constexpr const char* kUncertified = "uncertified";
constexpr const char* kUnproven = "unproven";
constexpr const char* kUnknown = "not-in-catalog";
constexpr const char* kLint = "lint";

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
    const std::string words = concat("not approved: ", name_of(each.what.kind), " ", each.what.name);
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

Terms audit_glossary(const AuditReport& report) {
  Terms terms{{{"certified",
                {text("applied to exactly these pins, it produces the recorded blob of every file that it changes")}},
               {"proven",
                {text("a test program fails without the patch, for the reason given in the proof, and passes with it; "
                      "recorded by torchpatch prove")}},
               {"origin",
                {text("where the change comes from, by its header: upstream or backport (the project itself), vendor "
                      "(the board's manufacturer), other")}},
               {"upstream from X", {text("the project's own files have the change from release X on")}},
               {"lint", {text("what the patch itself lacks, such as a field of its header")}}}};
  if (report.scope == AuditScope::catalog) {
    terms.rows.emplace_back("same, shifted, changed",
                            Line{text("compared with the variant above it: same text; same changes at other lines; "
                                      "other changes or another header")});
  }
  if (report.plan)
    terms.rows.emplace_back(
        "plan",
        Line{text("digest of the sources of the plan: pins, patches and added files, but not variables or the image")});
  if (report.approvals)
    terms.rows.emplace_back("approved", Line{text("signed, byte for byte, with a key that you trust (--signer)")});
  return terms;
}

std::string audit_subject(const AuditReport& report) {
  if (report.scope == AuditScope::catalog) return "every patch of the catalog";
  return concat(report.scope == AuditScope::tree ? "the prepared tree of " : "", "release ",
                target_text(report.release, report.board, report.image));
}

std::string patch_name(const AuditPatch& patch) { return patch.patchset + "/" + patch.file; }

std::string lint_words(const AuditLint& finding) {
  return finding.line > 0 ? concat("line ", finding.line, ": ", finding.message) : finding.message;
}

Sha256 audit_digest(const AuditReport& report) {
  AuditReport without = report;
  without.digest.reset();
  return sha256(report_json(to_json(without, JsonForm::report)));
}

std::string audit_json(AuditReport report) {
  report.digest = audit_digest(report);
  return report_json(to_json(report, JsonForm::report));
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

std::string audit_html(const Document& document) {
  HtmlPage page;
  page.title = document.title;
  page.description = document.description;
  page.home = {"torchpatch audit", ""};
  page.main = concat("<h1>", html_text(document.title), "</h1>\n", view_switch(), blocks_html(document.blocks));
  page.style = page_style(kAuditCss);
  page.script = std::string(kAuditScript);
  return html_page(page);
}

}  // namespace torchpatch::report
