// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <map>

#include "patch/review.h"
#include "support/text.h"
#include "upkeep/audit/audit.h"

namespace torchpatch::upkeep {

namespace {

constexpr double kLikeOfPatchset = 0.2;
constexpr double kLikeOfOthers = 0.5;
constexpr std::size_t kContext = 3;

/// The relevant parts of a patch: its header and changes, without positions, blob ids and context lines.
struct PatchFingerprint {
  std::vector<std::string> lines;      ///< to compare; the first character is the kind of line
  std::map<std::string, int> changes;  ///< each changed line, with its count
  std::size_t change_count = 0;
  std::string title;
};

void add_file(const patch::FilePatch& file, PatchFingerprint& print) {
  std::string name = concat(" file ", file.path());
  if (!file.old_path.empty() && file.old_path != file.path()) name += " from " + file.old_path;
  if (file.new_mode && file.new_mode != file.old_mode) name += concat(", mode ", name_of(*file.new_mode));
  print.lines.push_back(name);
  if (file.binary) print.lines.push_back(concat(" binary content ", file.new_id));
  for (const patch::Hunk& hunk : file.hunks) {
    for (const patch::HunkLine& line : hunk.lines) {
      if (line.kind == patch::LineKind::context) continue;
      const std::string_view text = line.text;
      const bool has_newline = text.ends_with('\n');
      print.lines.push_back(concat(static_cast<char>(line.kind), has_newline ? text.substr(0, text.size() - 1) : text,
                                   has_newline ? "" : " (no newline at the end of the file)"));
      ++print.changes[print.lines.back()];
      ++print.change_count;
    }
  }
}

PatchFingerprint fingerprint_of(const AuditStep& step) {
  PatchFingerprint print;
  for (const patch::HeaderField& field : patch::parse_header(step.parsed.preamble).fields) {
    std::string label = " " + field.name + ": ";
    for (const std::string& line : split(field.value, '\n')) {
      print.lines.push_back(label + line);
      if (print.title.empty() && (field.name == "Description" || field.name == "Subject")) print.title = line;
      label = "   ";
    }
  }
  for (const patch::FilePatch& file : step.parsed.files) add_file(file, print);
  return print;
}

/// Returns the share of changed lines that two patches have in common, 0 to 1.
double likeness(const PatchFingerprint& a, const PatchFingerprint& b) {
  std::size_t common = 0;
  for (const auto& [line, count] : a.changes) {
    const auto other = b.changes.find(line);
    if (other != b.changes.end()) common += static_cast<std::size_t>(std::min(count, other->second));
  }
  const std::size_t all = a.change_count + b.change_count;
  return all == 0 ? 0 : 2.0 * static_cast<double>(common) / static_cast<double>(all);
}

struct Candidate {
  int rank = 0;  ///< 0 the same text, 1 the same patchset, 2 any other
  double likeness = 0;
  std::size_t before = 0, after = 0;
};

std::vector<Candidate> candidates_of(const std::vector<AuditStep>& before, const std::vector<AuditStep>& after,
                                     const std::vector<PatchFingerprint>& old_prints,
                                     const std::vector<PatchFingerprint>& prints) {
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < before.size(); ++i) {
    for (std::size_t j = 0; j < after.size(); ++j) {
      const bool is_same = before[i].sha256 == after[j].sha256;
      const bool is_of_patchset = before[i].patchset == after[j].patchset;
      const double like = is_same ? 1 : likeness(old_prints[i], prints[j]);
      const bool is_rewritten = is_of_patchset && old_prints[i].title == prints[j].title;
      if (like < (is_of_patchset ? kLikeOfPatchset : kLikeOfOthers) && !is_rewritten) continue;
      candidates.push_back({is_same ? 0 : is_of_patchset ? 1 : 2, like, i, j});
    }
  }
  std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    return a.rank != b.rank ? a.rank < b.rank : a.likeness > b.likeness;
  });
  return candidates;
}

/// Marks the pairs that are not in a longest run in the order of both series.
void mark_moved(std::vector<SeriesEntry>& entries) {
  std::vector<std::size_t> pairs;  // indices of entries on both sides
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (entries[i].before > 0 && entries[i].after > 0) pairs.push_back(i);
  std::vector<std::size_t> length(pairs.size(), 1), previous(pairs.size());
  std::size_t last = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    previous[i] = i;
    for (std::size_t j = 0; j < i; ++j) {
      if (entries[pairs[j]].before > entries[pairs[i]].before || length[j] + 1 <= length[i]) continue;
      length[i] = length[j] + 1;
      previous[i] = j;
    }
    if (length[i] > length[last]) last = i;
    entries[pairs[i]].is_moved = true;
  }
  for (std::size_t i = last; i < pairs.size(); i = previous[i]) {
    entries[pairs[i]].is_moved = false;
    if (previous[i] == i) break;
  }
}

SeriesEntry compare(const AuditStep& before, const AuditStep& after, const PatchFingerprint& old_print,
                    const PatchFingerprint& print) {
  SeriesEntry entry;
  if (before.sha256 == after.sha256) return entry;
  entry.hunks = audit_hunks(patch::diff_lines(old_print.lines, print.lines, kContext));
  for (AuditHunk& hunk : entry.hunks)
    for (AuditLine& line : hunk) line.before = line.after = 0;
  entry.change = entry.hunks.empty() ? SeriesChange::shifted : SeriesChange::changed;
  return entry;
}

}  // namespace

SeriesChange change_between(const AuditStep& before, const AuditStep& after) {
  return compare(before, after, fingerprint_of(before), fingerprint_of(after)).change;
}

SeriesReport compare_series(const std::vector<AuditStep>& before, const std::vector<AuditStep>& after) {
  std::vector<PatchFingerprint> old_prints, prints;
  for (const AuditStep& step : before) old_prints.push_back(fingerprint_of(step));
  for (const AuditStep& step : after) prints.push_back(fingerprint_of(step));
  std::map<std::size_t, std::size_t> before_of, after_of;
  for (const Candidate& each : candidates_of(before, after, old_prints, prints)) {
    if (before_of.contains(each.after) || after_of.contains(each.before)) continue;
    before_of[each.after] = each.before;
    after_of[each.before] = each.after;
  }
  SeriesReport report;
  for (std::size_t j = 0; j < after.size(); ++j) {
    SeriesEntry entry;
    const auto found = before_of.find(j);
    if (found == before_of.end()) {
      entry.change = SeriesChange::only_after;
    } else {
      const std::size_t i = found->second;
      entry = compare(before[i], after[j], old_prints[i], prints[j]);
      entry.before = i + 1;
      entry.before_name = before[i].name();
    }
    entry.after = j + 1;
    entry.after_name = after[j].name();
    entry.title = prints[j].title;
    report.entries.push_back(std::move(entry));
  }
  mark_moved(report.entries);
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (after_of.contains(i)) continue;
    SeriesEntry entry;
    entry.change = SeriesChange::only_before;
    entry.before = i + 1;
    entry.before_name = before[i].name();
    entry.title = old_prints[i].title;
    const auto next = std::find_if(report.entries.begin(), report.entries.end(),
                                   [&](const auto& each) { return each.before > i + 1; });
    report.entries.insert(next, std::move(entry));
  }
  return report;
}

}  // namespace torchpatch::upkeep
