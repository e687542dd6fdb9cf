// SPDX-License-Identifier: BSD-3-Clause
#include "emit/audit/audit_words.h"

#include "emit/format/number_text.h"
#include "support/text.h"

namespace torchpatch::emit {

namespace {

/// Lines of the file after the change, each run as [first, last].
std::vector<std::pair<std::uint32_t, std::uint32_t>> changed_runs(const AuditFile& file) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> runs;
  const auto add = [&](std::uint32_t line) {
    if (!runs.empty() && line <= runs.back().second + 1) {
      runs.back().second = std::max(runs.back().second, line);
    } else {
      runs.emplace_back(line, line);
    }
  };
  for (const AuditHunk& hunk : file.hunks) {
    std::uint32_t next = 1;  // where a line would stand that is removed
    for (const AuditLine& line : hunk) {
      if (line.after > 0) next = line.after + 1;
      if (line.kind == '+') add(line.after);
      if (line.kind == '-') add(next);
    }
  }
  return runs;
}

std::string file_words(const AuditUpstreamFile& file) {
  if (!file.blob) return concat(file.path, " is not there either");
  return concat(file.path, " is blob ", file.blob->hex(),
                file.is_same ? ", what the patch makes" : ", which has the change among others");
}

/// Many releases are told by their ends; all of them are in the JSON.
std::string releases_words(const std::vector<std::string>& releases) {
  if (releases.size() <= 4) return join(releases, ", ");
  return concat(releases.size(), " releases between ", releases.front(), " and ", releases.back());
}

}  // namespace

std::string audit_subject(const AuditReport& report) {
  std::string pair = concat("release ", report.release, " for ", report.board, " (", report.image, ")");
  switch (report.scope) {
    case AuditScope::plan:
      return pair;
    case AuditScope::tree:
      return "the prepared tree of " + pair;
    case AuditScope::catalog:
      return "every patch of the catalog";
  }
  return {};
}

std::string audit_counts(const AuditReport& report) {
  const std::string patches = counted(report.patches.size(), "patch", "patches");
  return report.added_files.empty() ? patches : concat(patches, ", ", counted(report.added_files.size(), "added file"));
}

std::string patch_name(const AuditPatch& patch) { return patch.patchset + "/" + patch.file; }

std::string touched_words(const AuditFile& file) {
  std::vector<std::string> texts;
  for (const auto& [first, last] : changed_runs(file)) {
    texts.push_back(first == last ? concat(first) : concat(first, "-", last));
  }
  if (texts.empty()) return {};
  const bool is_one = texts.size() == 1 && texts[0].find('-') == std::string::npos;
  return (is_one ? "line " : "lines ") + join(texts, ", ");
}

std::vector<std::string> upstream_words(const AuditUpstream& upstream) {
  std::vector<std::string> words;
  if (!upstream.since.empty()) {
    const std::string end = upstream.is_newest                 ? " on"
                            : upstream.until == upstream.since ? " alone"
                                                               : " to " + upstream.until;
    std::vector<std::string> files;
    for (const AuditUpstreamFile& file : upstream.files) files.push_back(file_words(file));
    words.push_back(
        concat("upstream has it from release ", upstream.since, end, ": at ", upstream.since, " ", join(files, "; ")));
    if (!upstream.is_newest) {
      words.push_back(
          concat("after ", upstream.until, " the files differ, which does not say that the change is gone"));
    }
  } else if (upstream.looked_at > 0) {
    words.push_back(concat("found in none of the ", counted(upstream.looked_at, "later release"),
                           "; upstream may still have solved it in another way"));
  }
  if (!upstream.not_looked_at.empty()) {
    words.push_back(concat("not looked at, for their commits are nowhere: ", releases_words(upstream.not_looked_at)));
  }
  return words;
}

std::string places_words(const AuditPlaces& places) {
  return join(places.releases, ", ") + ": " + join(places.boards, ", ");
}

std::string blob_words(const std::optional<ObjectId>& before, const std::optional<ObjectId>& after) {
  if (!before && !after) return {};
  return concat(before ? before->hex() : "none", " becomes ", after ? after->hex() : "none");
}

std::string risk_place(const AuditRisk& risk) { return risk.line > 0 ? concat(risk.path, ":", risk.line) : risk.path; }

std::string lint_words(const AuditLint& finding) {
  return finding.line > 0 ? concat("line ", finding.line, ": ", finding.message) : finding.message;
}

std::vector<SignOffStep> sign_off_steps(const std::string& file) {
  return {{"sign it with an SSH or minisign key", concat("torchpatch audit sign ", file, " --key ~/.ssh/id_ed25519")},
          {"check the signature", concat("torchpatch audit verify-signature ", file, " --signer allowed_signers")}};
}

}  // namespace torchpatch::emit
