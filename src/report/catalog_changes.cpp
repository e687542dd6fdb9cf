// SPDX-License-Identifier: BSD-3-Clause
#include "report/reports.h"

#include <algorithm>

#include "report/words.h"
#include "support/text.h"

namespace torchpatch::report {

namespace {

std::string hanging_text(const HangingFile& file) {
  return concat(file.file, file.is_gone ? ": all of it" : ": a part of it");
}

std::string refreshed_text(const RefreshedPatch& patch) {
  return concat(patch.file, patch.is_changed ? ": written anew, changes " : ": as it was, changes ",
                join(patch.paths, ", "));
}

std::string commit_text(const std::optional<BlamedCommit>& commit) {
  return commit ? concat(": ", short_id(commit->id), " ", commit->subject) : "";
}

std::string conflict_text(const PortConflict& conflict) {
  const std::string file = concat(conflict.repository.text(), conflict.path.empty() ? "" : ":", conflict.path);
  const std::string moved =
      conflict.new_path.empty() || conflict.new_path == conflict.path ? "" : concat(", ", conflict.new_path, " now");
  static constexpr const char* kReasons[] = {"upstream changed the same lines",
                                             "upstream removed it",
                                             "upstream has a file of that name",
                                             "upstream seems to have the change, and no proof says so",
                                             "the patch as it is and the merge do not agree",
                                             "the release has no such repository"};
  const bool is_folder = conflict.kind == PortConflictKind::created && conflict.new_path.empty();
  const char* const why =
      is_folder ? "upstream has a folder there, or a file above it" : entry_of(kReasons, conflict.kind);
  const bool has_blame =
      conflict.kind != PortConflictKind::repository && conflict.kind != PortConflictKind::ambiguous && !is_folder;
  const std::string unknown = conflict.commit || !has_blame ? "" : ", by a commit that is not available";
  return concat(file, moved, ": ", why, commit_text(conflict.commit), unknown,
                conflict.has_words ? " (merged word by word on branch words)" : "");
}

/// A variant that no plan of the release gets.
std::string needless_text(const PortedPatchset& ported) {
  return ported.issues.empty() ? "; no issue that it answers affects the release" : "";
}

std::string result_text(const PortedPatchset& ported) {
  const std::string from =
      concat("variant ", ported.from, ported.from_release.empty() ? "" : concat(" of ", ported.from_release));
  switch (ported.result) {
    case PortResult::upstream:
      return concat("upstream has it", commit_text(ported.commit));
    case PortResult::widened:
      return concat(from, " applies as it is", needless_text(ported));
    case PortResult::ported:
      return concat("variant ", ported.variant, ", made of ", from, needless_text(ported));
    default:
      return concat("conflict, from ", from);
  }
}

std::string work_text(const PortReport& report, const PortedPatchset& ported) {
  return needs_person(ported) && ported.has_work ? concat(", in ", report.work, "/", ported.id) : "";
}

/// What a person has to decide of one patchset.
std::vector<std::string> decisions(const PortedPatchset& ported) {
  std::vector<std::string> lines = collect(ported.conflicts, conflict_text);
  for (const LeftOutPatch& patch : ported.left_out)
    lines.push_back(patch.commit ? concat(patch.file, " is left out: upstream has it", commit_text(patch.commit))
                                 : concat(patch.file, " is left out: it changes nothing"));
  for (const PortGate& gate : ported.gates)
    lines.push_back(concat(gate.gate, ": ", gate.message, commit_text(gate.commit)));
  if (ported.result == PortResult::upstream)
    for (const std::string& issue : ported.issues)
      lines.push_back(concat("issue ", issue, " still affects the release: end its range, if upstream fixed it"));
  return lines;
}

std::vector<std::string> decisions(const PortReport& report) {
  std::vector<std::string> lines;
  for (const PortedPatchset& ported : report.patchsets)
    for (const std::string& decision : decisions(ported)) lines.push_back(concat(ported.id, ": ", decision));
  return lines;
}

/// What a person does next.
std::vector<std::string> next_steps(const PortReport& report) {
  std::vector<std::string> steps;
  const std::string go_on = concat("torchpatch port --continue --work ", shell_quote(report.work));
  if (!report.work.empty()) {
    steps.push_back(concat("settle what is in ", report.work, ", then '", go_on, "'"));
    steps.push_back("'--skip' leaves the first one out that is not settled, '--abort' gives up");
  }
  const auto has_kind = [&](PortConflictKind kind) {
    return std::ranges::any_of(report.patchsets, [&](const PortedPatchset& ported) {
      return std::ranges::count(ported.conflicts, kind, &PortConflict::kind) > 0;
    });
  };
  if (has_kind(PortConflictKind::removed))
    steps.push_back(concat("to drop what is done to removed files: '", go_on, " --drop'"));
  if (has_kind(PortConflictKind::upstream))
    steps.push_back(concat("upstream has it: '", go_on, " --upstream', or a proof that holds for ", report.version));
  const bool lacks_proof = std::ranges::any_of(report.patchsets, [](const PortedPatchset& ported) {
    return std::ranges::any_of(ported.gates,
                               [](const PortGate& gate) { return gate.gate == "proof" && !gate.is_wrong; });
  });
  if (lacks_proof)
    steps.push_back(concat("let a proof hold for ", report.version,
                           ", the old one or a second, and 'torchpatch prove PATCHSET --version ", report.version,
                           " --record DIR", report.catalog, "'"));
  if (report.work.empty() && !report.written.empty())
    steps.push_back(concat("certificates and proofs are recorded; 'torchpatch check --version ", report.version,
                           report.catalog, "' says what is left"));
  return steps;
}

/// Returns the folders of the catalog that have new files.
std::vector<std::string> written_folders(const std::vector<std::string>& files) {
  std::vector<std::string> folders;
  for (const std::string& file : files) {
    const std::size_t name = file.find("/patchsets/") + std::string_view("/patchsets/").size();
    const std::string folder = file.substr(0, file.find('/', name));
    if (folders.empty() || folders.back() != folder) folders.push_back(folder);
  }
  return folders;
}

}  // namespace

Document removal_document(const RemovalReport& report, bool cascade) {
  Document page;
  page.blocks.push_back(
      Heading{2, concat(report.entry, report.is_done ? " was removed" : " was not removed: nothing was changed")});
  add_items(page.blocks, report.is_done ? "files that were removed or changed" : "files that go or change with it",
            report.files);
  add_items(page.blocks,
            report.is_done ? "what depended on it, and was removed too"
            : cascade      ? "what depends on it"
                           : "what depends on it: --cascade removes it too",
            collect(report.hanging, hanging_text));
  add_items(page.blocks, "what would be wrong without it: edit these first", collect(report.by_hand, &Finding::text));
  add_items(page.blocks, "what is to be looked at afterwards", report.afterwards);
  return page;
}

Document refresh_document(const RefreshReport& report) {
  Document page;
  page.blocks.push_back(Heading{2, concat(report.patchset, ", variant ", report.variant, ", at ", report.version)});
  page.blocks.push_back(plain_items(collect(report.patches, refreshed_text)));
  add_items(page.blocks, "written", report.written);
  add_items(page.blocks, "recorded of the old patches, and dropped there", report.dropped);
  if (report.written.empty()) page.blocks.push_back(plain_items({"nothing changed, nothing was written"}));
  return page;
}

Document port_document(const PortReport& report, bool all) {
  Document page;
  page.blocks.push_back(Heading{2, concat("patchsets at ", report.version, ", carried from ", report.before)});
  Rows rows;
  for (const PortedPatchset& ported : report.patchsets)
    rows.push_back({ported.id, result_text(ported) + work_text(report, ported)});
  for (const std::string& id : report.skipped) rows.push_back({id, "left out"});
  for (const std::string& id : report.left)
    rows.push_back({id, "not come to (--keep-going goes on past what is left to you)"});
  if (rows.empty())
    rows.push_back({"nothing to carry: each patchset whose issues go on has a variant for the release"});
  page.blocks.push_back(plain_table(rows));
  add_some(page.blocks, "to decide", decisions(report), all ? kAllOfThem : 8);
  if (all)
    add_items(page.blocks, "written", report.written);
  else
    add_some(page.blocks, "written", written_folders(report.written), 2);
  add_items(page.blocks, "next", next_steps(report));
  return page;
}

}  // namespace torchpatch::report
