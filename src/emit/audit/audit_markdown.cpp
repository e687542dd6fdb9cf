// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "emit/audit/audit_report.h"
#include "emit/audit/audit_words.h"
#include "emit/audit/hunk_text.h"
#include "emit/format/markdown_text.h"
#include "support/text.h"

namespace torchpatch::emit {
namespace {

std::string bullet(const std::string& name, const std::string& value) { return concat("* ", name, ": ", value, "\n"); }

std::string code_spans(const std::vector<std::string>& texts) {
  std::vector<std::string> spans;
  for (const std::string& text : texts) spans.push_back(code_span(text));
  return join(spans, ", ");
}

std::string fields(const AuditPatch& patch) {
  std::string out;
  for (const auto& [name, value] : patch.fields) {
    const std::size_t end = std::min(value.find('\n'), value.size());
    const std::string rest = markdown_text(std::string_view(value).substr(end));
    // A backslash at its end breaks a line.
    out += bullet(markdown_text(name),
                  concat(markdown_text(value.substr(0, end)), rest.empty() ? "" : "\\\n  ", trim(rest)));
  }
  return out;
}

std::string issues(const AuditPatch& patch) {
  if (patch.issues.empty()) return bullet("issues", "none");
  std::string out;
  for (const AuditIssue& issue : patch.issues) {
    out += bullet("issue", concat(code_span(issue.id), issue.title.empty() ? "" : ", " + markdown_text(issue.title),
                                  issue.severity.empty() ? "" : concat(" (", markdown_text(issue.severity), ")")));
  }
  return out;
}

std::string of_catalog(const AuditPatch& patch) {
  std::string out = bullet("shown in", patch.shown_in.empty() ? "no release: nobody gets it" : patch.shown_in);
  for (const AuditPlaces& places : patch.places) out += bullet("applies", markdown_text(places_words(places)));
  for (const AuditCertificate& each : patch.certificates) {
    out += bullet("certificate", concat(code_span(each.path), ", ", blob_words(each.before, each.after), " at ",
                                        join(each.releases, ", ")));
  }
  return out;
}

std::string state(const AuditPatch& patch, AuditScope scope) {
  const std::string source = patch.origin.source.empty() ? "" : ", " + markdown_text(patch.origin.source);
  std::string out =
      issues(patch) + bullet("origin", (patch.origin.kind.empty() ? "not said" : patch.origin.kind) + source) +
      bullet("sha256", code_span(patch.sha256.hex())) +
      bullet("certified", patch.is_certified ? "yes" : "**no**: no certificate says what it makes of these pins");
  if (!patch.is_in_catalog) out += bullet("catalog", "**not there**: this catalog has no such patch");
  for (const AuditProof& proof : patch.proofs) {
    const std::string since = proof.date.empty() ? "" : " since " + proof.date;
    out += bullet("proof", concat(code_span(proof.id), ", ", markdown_text(proof.state), since, ": ",
                                  markdown_text(proof.claim)));
  }
  if (patch.proofs.empty()) out += bullet("proof", "none at this release");
  if (scope == AuditScope::catalog) out += of_catalog(patch);
  for (const AuditFile& file : patch.files) {
    const std::string lines = touched_words(file);
    out += bullet("touches", code_span(file.path) + (lines.empty() ? "" : ", " + lines));
  }
  for (const std::string& overlap : patch.overlaps) out += bullet("overlaps", markdown_text(overlap));
  if (patch.upstream) {
    for (const std::string& words : upstream_words(*patch.upstream)) out += bullet("later", markdown_text(words));
  }
  return out;
}

std::string risks(const AuditPatch& patch) {
  if (patch.risks.empty() && patch.lint.empty()) return {};
  std::string out = "\nLook at:\n\n";
  for (const AuditLint& finding : patch.lint) out += concat("* **lint**: ", markdown_text(lint_words(finding)), "\n");
  for (const AuditRisk& risk : patch.risks) {
    out += concat("* **", markdown_text(risk.kind), "**, ", code_span(risk_place(risk)), ": ", markdown_text(risk.why),
                  "\n");
  }
  return out;
}

std::string diff_text(const AuditFile& file) {
  std::string out;
  for (const AuditHunk& hunk : file.hunks) out += hunk_diff(hunk);
  return out;
}

std::string file_section(const AuditFile& file) {
  std::string out =
      concat("\n### ", code_span(file.path), ": ", file.change, ", +", file.added, " -", file.removed, "\n\n");
  if (!file.old_path.empty()) out += bullet("from", code_span(file.old_path));
  if (!file.mode.empty()) out += bullet("mode", file.mode);
  const std::string blobs = blob_words(file.before, file.after);
  if (!blobs.empty()) out += bullet("blob", blobs);
  if (file.is_binary) out += bullet("content", "binary");
  return out + (file.hunks.empty() ? "" : "\n" + code_block(diff_text(file), "diff"));
}

std::string added_files(const AuditReport& report) {
  if (report.added_files.empty()) return {};
  std::string out = "\n## Added files\n\n";
  for (const AuditAddedFile& file : report.added_files) {
    out +=
        concat("* ", code_span(concat(file.repository.text(), ":", file.path)), ", ", file.size, " bytes",
               file.is_executable ? ", executable" : "", ", of ", code_span(concat(file.patchset, " ", file.variant)),
               ", for ", code_spans(file.issues), ", sha256 ", code_span(file.sha256.hex()), "\n");
  }
  return out;
}

std::string sign_off(const AuditReport& report) {
  const Sha256 digest = audit_digest(report);
  std::string out = concat("\n## Sign-off\n\nDigest of this audit: ", code_span(digest.hex()), "\n");
  for (const SignOffStep& step : sign_off_steps("audit.md")) {
    out += concat("\nTo ", step.what, ":\n\n", code_block(step.command + "\n", "sh"));
  }
  return concat(out, "\n", kSignatureBegin, "\n\nNot signed yet.\n\n", kSignatureEnd, "\n");
}

}  // namespace

std::string audit_markdown(const AuditReport& report) {
  std::string out = concat("# Audit of ", markdown_text(audit_subject(report)), "\n\n",
                           report.plan ? bullet("plan", code_span(report.plan->hex())) : "",
                           bullet("digest", code_span(audit_digest(report).hex())));
  if (!report.has_sources) out += bullet("sources", "none, context is that of the patches");
  for (std::size_t i = 0; i < report.patches.size(); ++i) {
    const AuditPatch& patch = report.patches[i];
    out += concat("\n## Patch ", i + 1, " of ", report.patches.size(), ": ", code_span(patch_name(patch)), " in ",
                  code_span(patch.repository.text()), "\n\n", fields(patch), state(patch, report.scope), risks(patch));
    for (const AuditFile& file : patch.files) out += file_section(file);
  }
  return out + added_files(report) + sign_off(report);
}

}  // namespace torchpatch::emit
