// SPDX-License-Identifier: BSD-3-Clause

#include <map>

#include "report/audit/audit_report.h"
#include "support/text.h"

namespace torchpatch::report {

namespace {

struct ChangeWords {
  const char* count;  ///< for several
  const char* words;
  const char* sign;  ///< in git range-diff
  Tone tone;
};

const ChangeWords& change_words(SeriesChange change) {
  static const std::map<SeriesChange, ChangeWords> words = {
      {SeriesChange::same, {"same", "same", "=", Tone::soft}},
      {SeriesChange::shifted, {"shifted", "same change, other lines around it", "=", Tone::soft}},
      {SeriesChange::changed, {"changed", "changed", "!", Tone::caution}},
      {SeriesChange::only_before, {"gone", "gone", "<", Tone::bad}},
      {SeriesChange::only_after, {"new", "new", ">", Tone::good}}};
  return words.at(change);
}

/// Returns "same", "changed, in another order", "gone", …
std::string series_words(const SeriesEntry& entry) {
  return concat(change_words(entry.change).words, entry.is_moved ? ", in another order" : "");
}

/// Returns "a/V1/0001-x.patch", or the old and the new name.
std::string series_name(const SeriesEntry& entry) {
  if (entry.after == 0) return entry.before_name;
  if (entry.before == 0 || entry.before_name == entry.after_name) return entry.after_name;
  return concat(entry.before_name, " became ", entry.after_name);
}

/// Returns "2 same, 1 changed, 1 new".
std::string series_counts(const SeriesReport& report) {
  std::map<SeriesChange, std::size_t> counts;
  std::size_t moved = 0;
  for (const SeriesEntry& entry : report.entries) {
    ++counts[entry.change];
    moved += entry.is_moved ? 1 : 0;
  }
  std::vector<std::string> parts;
  for (const auto& [change, count] : counts) parts.push_back(concat(count, " ", change_words(change).count));
  if (moved > 0) parts.push_back(concat(moved, " in another order"));
  return parts.empty() ? "no patches" : join(parts, ", ");
}

std::string number_or_dash(std::size_t number) { return number > 0 ? concat(number) : "-"; }
std::string entry_anchor(std::size_t index) { return concat("patch-", index + 1); }
std::string entry_title(const SeriesEntry& entry) { return entry.title.empty() ? series_name(entry) : entry.title; }

Table series_contents(const SeriesReport& report) {
  Table table{"Contents", {"Before", "", "After", "Patch", "Result"}, {}};
  for (std::size_t i = 0; i < report.entries.size(); ++i) {
    const SeriesEntry& entry = report.entries[i];
    const Inline title =
        entry.hunks.empty() ? text(entry_title(entry)) : link_here(entry_anchor(i), entry_title(entry));
    table.rows.push_back({{{text(number_or_dash(entry.before))}},
                          {{text(change_words(entry.change).sign)}},
                          {{text(number_or_dash(entry.after))}},
                          {{title, line_end(), code(series_name(entry))}},
                          {{text(series_words(entry))}, change_words(entry.change).tone}});
  }
  return table;
}

Hunks series_hunks(const SeriesEntry& entry, const std::string& anchor) {
  Hunks changes{series_name(entry), {}};
  for (std::size_t i = 0; i < entry.hunks.size(); ++i) {
    changes.hunks.push_back(
        {entry.hunks[i], concat("difference ", i + 1, " of ", entry.hunks.size()), concat(anchor, "-hunk-", i + 1)});
  }
  return changes;
}

}  // namespace

Document series_document(const SeriesReport& report) {
  Document document;
  document.title = concat("From ", report.before, " to ", report.after);
  document.description = "How the patches changed: " + series_counts(report);
  std::vector<Block>& blocks = document.blocks;
  blocks.push_back(Paragraph{{text(series_counts(report))}, Paragraph::Style::lead});
  add_section(blocks, "Contents", {series_contents(report)});
  for (std::size_t i = 0; i < report.entries.size(); ++i) {
    const SeriesEntry& entry = report.entries[i];
    if (entry.hunks.empty()) continue;
    blocks.push_back(Heading{2, entry_title(entry), entry_anchor(i)});
    blocks.push_back(Terms{{{"Patch", {code(series_name(entry))}}, {"Result", {text(series_words(entry))}}}});
    blocks.push_back(series_hunks(entry, entry_anchor(i)));
  }
  return document;
}

}  // namespace torchpatch::report
