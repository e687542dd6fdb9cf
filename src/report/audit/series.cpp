// SPDX-License-Identifier: BSD-3-Clause
#include "report/audit/series.h"

#include <map>

#include "record/json.h"
#include "report/audit/audit_json.h"
#include "support/text.h"

namespace torchpatch::report {

namespace {

Json number_or_null(std::size_t number) { return number > 0 ? Json(number) : Json(); }

const char* series_change_name(SeriesChange change) {
  switch (change) {
    case SeriesChange::same:
      return "same";
    case SeriesChange::shifted:
      return "shifted";
    case SeriesChange::changed:
      return "changed";
    case SeriesChange::only_before:
      return "only-before";
    case SeriesChange::only_after:
      return "only-after";
  }
  return "";
}

/// "same", "changed, in another order", "gone", …
std::string series_words(const SeriesEntry& entry) {
  std::string words;
  switch (entry.change) {
    case SeriesChange::same:
      words = "same";
      break;
    case SeriesChange::shifted:
      words = "same change, other lines around it";
      break;
    case SeriesChange::changed:
      words = "changed";
      break;
    case SeriesChange::only_before:
      words = "gone";
      break;
    case SeriesChange::only_after:
      words = "new";
      break;
  }
  return words + (entry.is_moved ? ", in another order" : "");
}

/// "a/V1/0001-x.patch", or what it was and what it became.
std::string series_name(const SeriesEntry& entry) {
  if (entry.after == 0) return entry.before_name;
  if (entry.before == 0 || entry.before_name == entry.after_name) return entry.after_name;
  return concat(entry.before_name, " became ", entry.after_name);
}

/// "2 same, 1 changed, 1 new"
std::string series_counts(const SeriesReport& report) {
  std::map<SeriesChange, std::size_t> counts;
  std::size_t moved = 0;
  for (const SeriesEntry& entry : report.entries) {
    ++counts[entry.change];
    moved += entry.is_moved ? 1 : 0;
  }
  std::vector<std::string> parts;
  const auto add = [&](std::size_t count, const char* what) {
    if (count > 0) parts.push_back(concat(count, " ", what));
  };
  add(counts[SeriesChange::same], "same");
  add(counts[SeriesChange::shifted], "shifted");
  add(counts[SeriesChange::changed], "changed");
  add(counts[SeriesChange::only_before], "gone");
  add(counts[SeriesChange::only_after], "new");
  add(moved, "in another order");
  return parts.empty() ? "no patches" : join(parts, ", ");
}

/// The sign that git range-diff has for it.
const char* sign_of(SeriesChange change) {
  if (change == SeriesChange::only_before) return "<";
  if (change == SeriesChange::only_after) return ">";
  return change == SeriesChange::changed ? "!" : "=";
}

Tone tone_of(SeriesChange change) {
  if (change == SeriesChange::only_before) return Tone::bad;
  if (change == SeriesChange::only_after) return Tone::good;
  return change == SeriesChange::changed ? Tone::caution : Tone::soft;
}

std::string number_or_dash(std::size_t number) { return number > 0 ? concat(number) : "-"; }
std::string entry_anchor(std::size_t index) { return concat("patch-", index + 1); }
std::string title_of(const SeriesEntry& entry) { return entry.title.empty() ? series_name(entry) : entry.title; }

Table contents(const SeriesReport& report) {
  Table table{"Contents", {"Before", "", "After", "Patch", "What became of it"}, {}};
  for (std::size_t i = 0; i < report.entries.size(); ++i) {
    const SeriesEntry& entry = report.entries[i];
    const Inline title = entry.hunks.empty() ? text(title_of(entry)) : link_here(entry_anchor(i), title_of(entry));
    table.rows.push_back({{{text(number_or_dash(entry.before))}},
                          {{text(sign_of(entry.change))}},
                          {{text(number_or_dash(entry.after))}},
                          {{title, line_end(), code(series_name(entry))}},
                          {{text(series_words(entry))}, tone_of(entry.change)}});
  }
  return table;
}

Hunks changes(const SeriesEntry& entry, const std::string& anchor) {
  Hunks changes{series_name(entry), {}};
  for (std::size_t i = 0; i < entry.hunks.size(); ++i) {
    changes.hunks.push_back(
        {entry.hunks[i], concat("difference ", i + 1, " of ", entry.hunks.size()), concat(anchor, "-hunk-", i + 1)});
  }
  return changes;
}

}  // namespace

std::string series_json(const SeriesReport& report) {
  Json patches = Json::array();
  for (const SeriesEntry& entry : report.entries) {
    patches.push_back({{"change", series_change_name(entry.change)},
                       {"moved", entry.is_moved},
                       {"before", number_or_null(entry.before)},
                       {"after", number_or_null(entry.after)},
                       {"before_name", record::text_or_null(entry.before_name)},
                       {"after_name", record::text_or_null(entry.after_name)},
                       {"title", entry.title},
                       {"hunks", hunks_json(entry.hunks)}});
  }
  return report_json(
      {{"schema", 1}, {"before", report.before}, {"after", report.after}, {"patches", std::move(patches)}});
}

Document series_document(const SeriesReport& report) {
  Document document;
  document.title = concat("From ", report.before, " to ", report.after);
  document.description = "How the patches changed: " + series_counts(report);
  std::vector<Block>& blocks = document.blocks;
  blocks.push_back(Paragraph{{text(series_counts(report))}, Paragraph::Style::lead});
  add_section(blocks, "Contents", {contents(report)});
  for (std::size_t i = 0; i < report.entries.size(); ++i) {
    const SeriesEntry& entry = report.entries[i];
    if (entry.hunks.empty()) continue;
    blocks.push_back(Heading{2, title_of(entry), entry_anchor(i)});
    blocks.push_back(
        Terms{{{"Patch", {code(series_name(entry))}}, {"What became of it", {text(series_words(entry))}}}});
    blocks.push_back(changes(entry, entry_anchor(i)));
  }
  return document;
}

}  // namespace torchpatch::report
