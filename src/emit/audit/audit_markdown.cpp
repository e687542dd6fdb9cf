// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "emit/audit/audit_report.h"
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

std::string state(const AuditPatch& patch) {
  std::string out =
      bullet("issues", patch.issues.empty() ? "none" : code_spans(patch.issues)) +
      bullet("sha256", code_span(patch.sha256.hex())) +
      bullet("certified", patch.is_certified ? "yes" : "**no**: no certificate says what it makes of these pins");
  for (const AuditProof& proof : patch.proofs) {
    const std::string since = proof.date.empty() ? "" : " since " + proof.date;
    out += bullet("proof", concat(code_span(proof.id), ", ", markdown_text(proof.state), since, ": ",
                                  markdown_text(proof.claim)));
  }
  if (patch.proofs.empty()) out += bullet("proof", "none at this release");
  for (const std::string& overlap : patch.overlaps) out += bullet("overlaps", markdown_text(overlap));
  return out;
}

std::string risks(const AuditPatch& patch) {
  if (patch.risks.empty()) return {};
  std::string out = "\nLook at:\n\n";
  for (const AuditRisk& risk : patch.risks) {
    const std::string place = risk.line > 0 ? concat(risk.path, ":", risk.line) : risk.path;
    out += concat("* **", markdown_text(risk.kind), "**, ", code_span(place), ": ", markdown_text(risk.why), "\n");
  }
  return out;
}

/// The first numbers of a side and how many lines of it there are: "12,7".
std::string range(const AuditHunk& hunk, std::uint32_t AuditLine::*number) {
  std::uint32_t first = 0, count = 0;
  for (const AuditLine& line : hunk) {
    if (line.*number == 0) continue;
    if (count++ == 0) first = line.*number;
  }
  return concat(first, ",", count);
}

std::string diff_text(const AuditFile& file) {
  std::string out;
  for (const AuditHunk& hunk : file.hunks) {
    out += concat("@@ -", range(hunk, &AuditLine::before), " +", range(hunk, &AuditLine::after), " @@\n");
    for (const AuditLine& line : hunk) {
      out += concat(line.kind, line.text, "\n", line.has_newline ? "" : "\\ No newline at end of file\n");
    }
  }
  return out;
}

std::string file_section(const AuditFile& file) {
  std::string out =
      concat("\n### ", code_span(file.path), ": ", file.change, ", +", file.added, " -", file.removed, "\n\n");
  if (!file.old_path.empty()) out += bullet("from", code_span(file.old_path));
  if (!file.mode.empty()) out += bullet("mode", file.mode);
  if (file.before || file.after) {
    out += bullet("blob", concat(file.before ? code_span(file.before->hex()) : "none", " becomes ",
                                 file.after ? code_span(file.after->hex()) : "none"));
  }
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

}  // namespace

std::string audit_markdown(const AuditReport& report) {
  std::string out = concat("# Audit of release ", markdown_text(report.release), " for ", markdown_text(report.board),
                           " (", markdown_text(report.image), ")\n\n", bullet("plan", code_span(report.plan.hex())),
                           bullet("digest", code_span(audit_digest(report).hex())));
  if (!report.has_sources) out += bullet("sources", "none, context is that of the patches");
  for (std::size_t i = 0; i < report.patches.size(); ++i) {
    const AuditPatch& patch = report.patches[i];
    out += concat("\n## Patch ", i + 1, " of ", report.patches.size(), ": ",
                  code_span(concat(patch.patchset, "/", patch.file)), " in ", code_span(patch.repository.text()),
                  "\n\n", fields(patch), state(patch), risks(patch));
    for (const AuditFile& file : patch.files) out += file_section(file);
  }
  return out + added_files(report);
}

}  // namespace torchpatch::emit
