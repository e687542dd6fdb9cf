// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "record/json.h"
#include "report/reports.h"
#include "report/words.h"
#include "support/text.h"

namespace torchpatch::report {

namespace {

/// Longer lists are cut, so that what a person decides is a screen long.
constexpr std::size_t kMostLines = 12;

std::string commit_text(const std::optional<BlamedCommit>& commit) {
  return commit ? concat(": ", short_id(commit->id), " ", commit->subject) : "";
}

std::string conflict_text(const PortConflict& conflict) {
  const std::string file = concat(conflict.repository.text(), ":", conflict.path);
  const std::string moved =
      conflict.new_path.empty() || conflict.new_path == conflict.path ? "" : concat(", ", conflict.new_path, " now");
  const std::string why = [&] {
    switch (conflict.kind) {
      case PortConflictKind::removed:
        return "upstream removed it";
      case PortConflictKind::created:
        return "upstream has a file of that name";
      case PortConflictKind::upstream:
        return "upstream seems to have the change, and no proof says so (where it has, --skip and end the range)";
      case PortConflictKind::ambiguous:
        return "the patch as it is and the merge do not agree";
      case PortConflictKind::repository:
        return "the release has no such repository";
      default:
        return "upstream changed the same lines";
    }
  }();
  const std::string unknown =
      conflict.commit || conflict.kind == PortConflictKind::repository || conflict.kind == PortConflictKind::ambiguous
          ? ""
          : ", by a commit that is not at hand";
  return concat(file, moved, ": ", why, commit_text(conflict.commit), unknown,
                conflict.has_words ? " (merged word by word on branch words)" : "");
}

std::string result_text(const PortedPatchset& ported) {
  const std::string from = concat("variant ", ported.from, " of ", ported.from_release);
  switch (ported.result) {
    case PortResult::upstream:
      return concat("upstream has it", commit_text(ported.commit));
    case PortResult::widened:
      return concat(from, " applies as it is");
    case PortResult::ported:
      return concat("variant ", ported.variant, ", made of ", from);
    default:
      return concat("conflict, from ", from);
  }
}

bool is_left(const PortedPatchset& ported) {
  return ported.result == PortResult::conflict || std::ranges::any_of(ported.gates, &PortGate::is_wrong);
}

/// What a person has to decide of one patchset.
std::vector<std::string> decisions(const PortedPatchset& ported) {
  std::vector<std::string> lines = texts_of(ported.conflicts, conflict_text);
  for (const PortGate& gate : ported.gates) lines.push_back(concat(gate.gate, ": ", gate.message));
  if (ported.result == PortResult::upstream)
    for (const std::string& issue : ported.issues)
      lines.push_back(concat("issue ", issue, " still affects the release: end its range, if upstream fixed it"));
  return lines;
}

void add_decisions(const PortReport& report, bool all, std::vector<Block>& blocks) {
  for (const PortedPatchset& ported : report.patchsets) {
    std::vector<std::string> lines = decisions(ported);
    if (!all && lines.size() > kMostLines) {
      const std::size_t rest = lines.size() - kMostLines;
      lines.resize(kMostLines);
      lines.push_back(concat("and ", rest, " more (--all)"));
    }
    const std::string where = is_left(ported) && ported.has_work ? concat(", in ", report.work, "/", ported.id) : "";
    add_items(blocks, concat("to decide: ", ported.id, where), lines);
  }
}

Json commit_json(const std::optional<BlamedCommit>& commit) {
  if (!commit) return nullptr;
  return {{"id", commit->id.hex()}, {"subject", commit->subject}};
}

Json conflict_json(const PortConflict& conflict) {
  return {{"repository", conflict.repository.text()},
          {"path", conflict.path},
          {"new_path", record::text_or_null(conflict.new_path)},
          {"kind", name_of(conflict.kind)},
          {"commit", commit_json(conflict.commit)},
          {"words", conflict.has_words}};
}

Json gate_json(const PortGate& gate) {
  return {{"gate", gate.gate}, {"message", gate.message}, {"wrong", gate.is_wrong}};
}

Json ported_json(const PortedPatchset& ported) {
  return {{"id", ported.id},
          {"from", ported.from},
          {"from_release", ported.from_release},
          {"result", name_of(ported.result)},
          {"variant", record::text_or_null(ported.variant)},
          {"commit", commit_json(ported.commit)},
          {"conflicts", record::array_of(ported.conflicts, conflict_json)},
          {"gates", record::array_of(ported.gates, gate_json)},
          {"issues", ported.issues}};
}

}  // namespace

Document port_document(const PortReport& report, bool all) {
  Document page;
  page.blocks.push_back(Heading{2, concat("patchsets at ", report.version, ", carried from ", report.before)});
  Rows rows;
  for (const PortedPatchset& ported : report.patchsets) rows.push_back({ported.id, result_text(ported)});
  for (const std::string& id : report.left) rows.push_back({id, "left out"});
  if (rows.empty()) rows.push_back({"nothing to carry: each patchset that is used has a variant for the release"});
  page.blocks.push_back(plain_table(rows));
  add_decisions(report, all, page.blocks);
  if (all) add_items(page.blocks, "written", report.written);
  if (!all && !report.written.empty())
    page.blocks.push_back(plain_items({concat(report.written.size(), " files of the catalog written (--all)")}));
  return page;
}

Json port_json(const PortReport& report) {
  return {{"schema", 1},
          {"version", report.version},
          {"before", report.before},
          {"patchsets", record::array_of(report.patchsets, ported_json)},
          {"left", report.left},
          {"work", record::text_or_null(report.work)},
          {"written", report.written}};
}

}  // namespace torchpatch::report
