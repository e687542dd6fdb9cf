// SPDX-License-Identifier: BSD-3-Clause
#include "emit/audit/audit_report.h"
#include "emit/audit/audit_words.h"
#include "emit/audit/hunk_text.h"
#include "emit/format/text_table.h"
#include "support/text.h"

namespace torchpatch::emit {
namespace {

void add_rows(Rows& rows, const std::string& label, const std::vector<std::string>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) rows.push_back({i == 0 ? label : "", values[i]});
}

void add_issues(const AuditPatch& patch, Rows& rows) {
  if (patch.issues.empty()) rows.push_back({"for", "no issue"});
  for (const AuditIssue& issue : patch.issues) {
    rows.push_back({"for", concat(issue.id, issue.title.empty() ? "" : ": " + issue.title,
                                  issue.severity.empty() ? "" : concat(" (", issue.severity, ")"))});
  }
}

std::string certified(const AuditPatch& patch) {
  return patch.is_certified ? "yes" : "NO: no certificate says what it makes of these pins";
}

void add_catalog_rows(const AuditPatch& patch, Rows& rows) {
  rows.push_back({"shown in", patch.shown_in.empty() ? "no release: nobody gets it" : patch.shown_in});
  for (const AuditPlaces& places : patch.places) rows.push_back({"applies", places_words(places)});
  for (const AuditCertificate& each : patch.certificates) {
    rows.push_back({"edge", concat(each.path, ": ", blob_words(each.before, each.after))});
    rows.push_back({"", "at " + join(each.releases, ", ")});
  }
}

Rows head_rows(const AuditPatch& patch, AuditScope scope) {
  Rows rows;
  add_issues(patch, rows);
  rows.push_back({"origin", concat(patch.origin.kind.empty() ? "not said" : patch.origin.kind,
                                   patch.origin.source.empty() ? "" : ", " + patch.origin.source)});
  rows.push_back({"sha256", patch.sha256.hex()});
  if (!patch.is_in_catalog) rows.push_back({"catalog", "NOT there: this catalog has no such patch"});
  rows.push_back({"certified", certified(patch)});
  for (const AuditProof& proof : patch.proofs) {
    rows.push_back({"proof", concat(proof.id, ": ", proof.state, proof.date.empty() ? "" : " since " + proof.date)});
    rows.push_back({"", proof.claim});
  }
  if (patch.proofs.empty()) rows.push_back({"proof", "none at this release"});
  if (scope == AuditScope::catalog) add_catalog_rows(patch, rows);
  for (const AuditFile& file : patch.files) {
    const std::string lines = touched_words(file);
    rows.push_back({"touches", concat(file.path, lines.empty() ? "" : ", " + lines)});
  }
  add_rows(rows, "overlaps", patch.overlaps);
  if (patch.upstream) add_rows(rows, "later", upstream_words(*patch.upstream));
  return rows;
}

Rows warning_rows(const AuditPatch& patch) {
  Rows rows;
  for (const AuditLint& finding : patch.lint) rows.push_back({"lint", lint_words(finding)});
  for (const AuditRisk& risk : patch.risks) {
    rows.push_back({"look at", concat(risk.kind, ", ", risk_place(risk), ": ", risk.why)});
  }
  return rows;
}

/// A field may have several lines.
Rows field_rows(const AuditPatch& patch) {
  Rows rows;
  for (const auto& [name, value] : patch.fields) add_rows(rows, name, split(value, '\n'));
  return rows;
}

std::string file_text(const AuditFile& file, TextColor color) {
  std::string head = concat(file.change, " ", printable(file.path));
  if (!file.old_path.empty()) head += concat(", from ", printable(file.old_path));
  if (!file.mode.empty()) head += concat(", mode ", file.mode);
  std::string out = concat("\n  ", painted(head, Paint::heading, color), ": +", file.added, " -", file.removed, "\n");
  const std::string blobs = blob_words(file.before, file.after);
  if (!blobs.empty()) out += concat("  blob ", blobs, "\n");
  if (file.is_binary) out += "  binary content\n";
  for (std::size_t i = 0; i < file.hunks.size(); ++i) {
    if (i > 0) out += "   ...\n";
    out += hunk_text(file.hunks[i], color);
  }
  return out;
}

/// Paints each line of a text.
std::string painted_lines(const std::string& text, Paint paint, TextColor color) {
  std::string out;
  std::vector<std::string> lines = split(text, '\n');
  lines.pop_back();
  for (const std::string& line : lines) out += painted(line, paint, color) + "\n";
  return out;
}

std::string patch_text(const AuditPatch& patch, std::size_t index, const AuditReport& report, TextColor color) {
  const std::string head = concat("patch ", index + 1, " of ", report.patches.size(), ": ", patch_name(patch), " in ",
                                  patch.repository.text());
  std::string out =
      concat("\n", painted(head, Paint::heading, color), "\n", text_table(head_rows(patch, report.scope), "  "),
             painted_lines(text_table(warning_rows(patch), "  "), Paint::warning, color), "\n",
             text_table(field_rows(patch), "  "));
  for (const AuditFile& file : patch.files) out += file_text(file, color);
  return out;
}

std::string sign_off(const AuditReport& report) {
  std::string out = concat("\nsign-off\n  digest     ", audit_digest(report).hex(),
                           "\n  write the report with --json --output audit.json (or --format html); then\n");
  for (const SignOffStep& step : sign_off_steps("audit.json")) {
    out += concat("  to ", step.what, ":\n    ", step.command, "\n");
  }
  return out + "  reviewer   ____________________   date  __________   signature  none\n";
}

}  // namespace

std::string audit_text(const AuditReport& report, TextColor color) {
  std::string out =
      concat(painted("audit of " + audit_subject(report), Paint::heading, color), ": ", audit_counts(report), "\n");
  if (report.plan) out += concat("plan ", report.plan->hex(), "\n");
  out += concat("digest ", audit_digest(report).hex(), "\n");
  if (!report.has_sources)
    out += "without sources: context is that of the patches (--mirror DIR shows the pinned files)\n";
  for (std::size_t i = 0; i < report.patches.size(); ++i) out += patch_text(report.patches[i], i, report, color);
  Rows added;
  for (const AuditAddedFile& file : report.added_files) {
    added.push_back({concat(file.repository.text(), ":", file.path), concat(file.size, " bytes"),
                     concat(file.patchset, " ", file.variant), concat("for ", join(file.issues, ", ")),
                     file.is_executable ? "executable" : ""});
  }
  return out + text_section("added files", added) + sign_off(report);
}

}  // namespace torchpatch::emit
