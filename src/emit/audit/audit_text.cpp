// SPDX-License-Identifier: BSD-3-Clause
#include "emit/audit/audit_text.h"

#include "emit/format/text_table.h"
#include "support/text.h"

namespace torchpatch::emit {
namespace {

Rows head_rows(const AuditPatch& patch) {
  Rows rows = {{"for", patch.issues.empty() ? "no issue" : join(patch.issues, ", ")},
               {"sha256", patch.sha256.hex()},
               {"certified", patch.is_certified ? "yes" : "NO: no certificate says what it makes of these pins"}};
  for (const AuditProof& proof : patch.proofs) {
    rows.push_back({"proof", concat(proof.id, ": ", proof.state, proof.date.empty() ? "" : " since ", proof.date)});
    rows.push_back({"", proof.claim});
  }
  if (patch.proofs.empty()) rows.push_back({"proof", "none at this release"});
  for (const std::string& overlap : patch.overlaps) rows.push_back({"overlaps", overlap});
  for (const AuditRisk& risk : patch.risks) {
    const std::string place = risk.line > 0 ? concat(risk.path, ":", risk.line) : risk.path;
    rows.push_back({"look at", concat(risk.kind, ", ", place, ": ", risk.why)});
  }
  return rows;
}

/// A field may have several lines.
Rows field_rows(const AuditPatch& patch) {
  Rows rows;
  for (const auto& [name, value] : patch.fields) {
    std::string label = name;
    for (const std::string& line : split(value, '\n')) {
      rows.push_back({label, line});
      label.clear();
    }
  }
  return rows;
}

/// Tabs stay; all else that would move a cursor is escaped.
std::string line_text(const AuditLine& line) {
  std::string out;
  for (const std::string& part : split(line.text, '\t')) out += plain_line(part) + "\t";
  out.pop_back();
  return out;
}

std::string hunk_text(const AuditHunk& hunk) {
  std::string out;
  for (const AuditLine& line : hunk) {
    const std::uint32_t number = line.after > 0 ? line.after : line.before;
    const std::string digits = concat(number);
    out += concat(std::string(digits.size() < 6 ? 6 - digits.size() : 0, ' '), digits, " ", line.kind, line_text(line),
                  "\n");
    if (!line.has_newline) out += "       \\ no newline at the end of the file\n";
  }
  return out;
}

std::string file_text(const AuditFile& file) {
  std::string out = concat("\n  ", file.change, " ", printable(file.path));
  if (!file.old_path.empty()) out += concat(", from ", printable(file.old_path));
  if (!file.mode.empty()) out += concat(", mode ", file.mode);
  out += concat(": +", file.added, " -", file.removed, "\n");
  if (file.before || file.after) {
    out += concat("  blob ", file.before ? file.before->hex() : "none", " becomes ",
                  file.after ? file.after->hex() : "none", "\n");
  }
  if (file.is_binary) out += "  binary content\n";
  for (std::size_t i = 0; i < file.hunks.size(); ++i) {
    if (i > 0) out += "   ...\n";
    out += hunk_text(file.hunks[i]);
  }
  return out;
}

}  // namespace

std::string audit_text(const AuditReport& report) {
  std::string out = concat("audit of release ", report.release, " for ", report.board, " (", report.image,
                           "): ", report.patches.size(), report.patches.size() == 1 ? " patch, " : " patches, ",
                           report.added_files.size(), report.added_files.size() == 1 ? " added file" : " added files",
                           "\nplan ", report.plan.hex(), "\ndigest ", audit_digest(report).hex(), "\n");
  if (!report.has_sources)
    out += "without sources: context is that of the patches (--mirror DIR shows the pinned files)\n";
  for (std::size_t i = 0; i < report.patches.size(); ++i) {
    const AuditPatch& patch = report.patches[i];
    out += concat("\npatch ", i + 1, " of ", report.patches.size(), ": ", patch.patchset, "/", patch.file, " in ",
                  patch.repository.text(), "\n", text_table(head_rows(patch), "  "), "\n",
                  text_table(field_rows(patch), "  "));
    for (const AuditFile& file : patch.files) out += file_text(file);
  }
  Rows added;
  for (const AuditAddedFile& file : report.added_files) {
    added.push_back({concat(file.repository.text(), ":", file.path), concat(file.size, " bytes"),
                     concat(file.patchset, " ", file.variant), concat("for ", join(file.issues, ", ")),
                     file.is_executable ? "executable" : ""});
  }
  return out + text_section("added files", added);
}

}  // namespace torchpatch::emit
