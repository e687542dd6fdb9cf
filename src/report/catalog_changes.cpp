// SPDX-License-Identifier: BSD-3-Clause
#include "report/reports.h"

#include <algorithm>

#include "report/words.h"
#include "support/text.h"

namespace torchpatch::report {

namespace {

std::string hanging_text(const HangingFile& file) {
  return concat(file.file, file.is_gone ? ": the whole file" : ": part of the file");
}

std::string refreshed_text(const RefreshedPatch& patch) {
  return concat(patch.file, patch.is_changed ? ": rewritten, touches " : ": unchanged, touches ",
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
                                             "upstream seems to have the change, but no proof shows it",
                                             "applying the patch and merging it give different results",
                                             "the release has no such repository"};
  const bool is_folder = conflict.kind == PortConflictKind::created && conflict.new_path.empty();
  const char* const why = is_folder
                              ? "upstream has a directory at this path, or a file in place of one of its directories"
                              : entry_of(kReasons, conflict.kind);
  const bool has_blame =
      conflict.kind != PortConflictKind::repository && conflict.kind != PortConflictKind::ambiguous && !is_folder;
  const std::string unknown = conflict.commit || !has_blame ? "" : ", by a commit that is not available";
  return concat(file, moved, ": ", why, commit_text(conflict.commit), unknown,
                conflict.has_words ? " (merged word by word on the branch 'words')" : "");
}

/// Returns a note if no plan of the release uses the variant.
std::string needless_text(const PortedPatchset& ported) {
  return ported.issues.empty() ? "; no issue that it fixes affects the release" : "";
}

std::string result_text(const PortedPatchset& ported) {
  const std::string from =
      concat("variant ", ported.from, ported.from_release.empty() ? "" : concat(" of ", ported.from_release));
  switch (ported.result) {
    case PortResult::upstream:
      return concat("upstream has it", commit_text(ported.commit));
    case PortResult::widened:
      return concat(from, " applies unchanged", needless_text(ported));
    case PortResult::ported:
      return concat("variant ", ported.variant, ", made from ", from, needless_text(ported));
    default:
      return concat("conflict, from ", from);
  }
}

std::string work_text(const PortReport& report, const PortedPatchset& ported) {
  return needs_person(ported) && ported.has_work ? concat(", in ", report.work, "/", ported.id) : "";
}

/// Returns what a person has to decide for one patchset.
std::vector<std::string> decisions(const PortedPatchset& ported) {
  std::vector<std::string> lines = collect(ported.conflicts, conflict_text);
  for (const LeftOutPatch& patch : ported.left_out)
    lines.push_back(patch.commit ? concat(patch.file, " dropped: upstream has it", commit_text(patch.commit))
                                 : concat(patch.file, " dropped: it changes nothing"));
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

/// Returns the next steps for a person.
std::vector<std::string> next_steps(const PortReport& report) {
  std::vector<std::string> steps;
  const std::string go_on = concat("torchpatch port --continue --work ", shell_quote(report.work));
  if (!report.work.empty()) {
    steps.push_back(concat("resolve what is left in ", report.work, ", then '", go_on,
                           "' with the --mirror and --archive options of this run"));
    steps.push_back("'--skip' skips the first unresolved one, '--abort' gives up");
  }
  const auto has_kind = [&](PortConflictKind kind) {
    return std::ranges::any_of(report.patchsets, [&](const PortedPatchset& ported) {
      return std::ranges::count(ported.conflicts, kind, &PortConflict::kind) > 0;
    });
  };
  if (has_kind(PortConflictKind::removed))
    steps.push_back(concat("to drop changes to removed files: '", go_on, " --drop'"));
  if (has_kind(PortConflictKind::upstream))
    steps.push_back(
        concat("if upstream has it: '", go_on, " --upstream', or write a proof that passes at ", report.version));
  const bool lacks_proof = std::ranges::any_of(report.patchsets, [](const PortedPatchset& ported) {
    return std::ranges::any_of(ported.gates,
                               [](const PortGate& gate) { return gate.gate == "proof" && !gate.is_wrong; });
  });
  if (lacks_proof)
    steps.push_back(concat("make a proof pass at ", report.version,
                           ", the old one or a new one, then 'torchpatch prove PATCHSET --version ", report.version,
                           " --record DIR", report.catalog, "'"));
  const bool has_proofs = std::ranges::any_of(
      report.written, [&](const std::string& file) { return ends_with(file, "/proofs/" + report.version + ".json"); });
  if (report.work.empty() && !report.written.empty())
    steps.push_back(concat("certificates", has_proofs ? " and proofs are" : " are",
                           " recorded; 'torchpatch check --version ", report.version, report.catalog,
                           "' lists what is left to do"));
  return steps;
}

/// Returns the folders of the catalog with new files.
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
      Heading{2, concat(report.entry, report.is_done ? " was removed" : " was not removed; nothing was changed")});
  add_items(page.blocks, report.is_done ? "removed or changed files" : "files to remove or change with it",
            report.files);
  add_items(page.blocks,
            report.is_done ? "also removed, since it depended on it"
            : cascade      ? "what depends on it"
                           : "what depends on it (--cascade removes it too)",
            collect(report.hanging, hanging_text));
  add_items(page.blocks, "would be wrong without it: edit these first", collect(report.by_hand, &Finding::text));
  add_items(page.blocks, "to review afterwards", report.afterwards);
  return page;
}

Document refresh_document(const RefreshReport& report) {
  Document page;
  page.blocks.push_back(Heading{2, concat(report.patchset, ", variant ", report.variant, ", at ", report.version)});
  page.blocks.push_back(plain_items(collect(report.patches, refreshed_text)));
  add_items(page.blocks, "written", report.written);
  add_items(page.blocks, "dropped records of the old patches", report.dropped);
  if (report.written.empty()) page.blocks.push_back(plain_items({"nothing to do"}));
  return page;
}

Document port_document(const PortReport& report, bool all) {
  Document page;
  page.blocks.push_back(Heading{2, concat("patchsets at ", report.version)});
  Rows rows;
  for (const PortedPatchset& ported : report.patchsets)
    rows.push_back({ported.id, result_text(ported) + work_text(report, ported)});
  for (const std::string& id : report.skipped) rows.push_back({id, "left out"});
  for (const std::string& id : report.left) rows.push_back({id, "not tried (--keep-going continues after conflicts)"});
  if (rows.empty())
    rows.push_back({concat("nothing to do: each patchset that ", report.before, " and ", report.version,
                           " need has a variant for it; name those that ended earlier to carry them")});
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
