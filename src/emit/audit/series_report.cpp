// SPDX-License-Identifier: BSD-3-Clause
#include "emit/audit/series_report.h"

#include <map>
#include <nlohmann/json.hpp>

#include "emit/audit/hunk_json.h"
#include "emit/audit/hunk_text.h"
#include "emit/audit/series_words.h"
#include "emit/format/json_text.h"
#include "emit/format/markdown_text.h"
#include "emit/format/model_json.h"
#include "support/text.h"

namespace torchpatch::emit {
namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(std::size_t number) { return number > 0 ? Json(number) : Json(); }

std::string place(std::size_t number, std::size_t width) {
  const std::string digits = number > 0 ? concat(number) : "-";
  return std::string(width - std::min(width, digits.size()), ' ') + digits;
}

}  // namespace

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

std::string series_name(const SeriesEntry& entry) {
  if (entry.after == 0) return entry.before_name;
  if (entry.before == 0 || entry.before_name == entry.after_name) return entry.after_name;
  return concat(entry.before_name, " became ", entry.after_name);
}

std::string series_title(const SeriesReport& report) { return concat("From ", report.before, " to ", report.after); }

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

std::string series_text(const SeriesReport& report, TextColor color) {
  std::string out = concat(painted(series_title(report), Paint::heading, color), "\n", series_counts(report), "\n\n");
  for (const SeriesEntry& entry : report.entries) {
    const bool is_quiet = entry.change == SeriesChange::same || entry.change == SeriesChange::shifted;
    const Paint paint = entry.change == SeriesChange::only_before  ? Paint::removed
                        : entry.change == SeriesChange::only_after ? Paint::added
                        : is_quiet                                 ? Paint::faint
                                                                   : Paint::warning;
    const std::string head = concat(place(entry.before, 3), series_sign(entry.change), place(entry.after, 3), "  ",
                                    series_name(entry), ": ", series_words(entry));
    out += painted(printable(head), paint, color) + "\n";
    if (!entry.title.empty()) out += concat("           ", printable(entry.title), "\n");
    for (std::size_t i = 0; i < entry.hunks.size(); ++i) {
      out += concat(i > 0 ? "           ...\n" : "", hunk_text(entry.hunks[i], color));
    }
  }
  return out;
}

std::string series_json(const SeriesReport& report) {
  Json patches = Json::array();
  for (const SeriesEntry& entry : report.entries) {
    patches.push_back({{"change", series_change_name(entry.change)},
                       {"moved", entry.is_moved},
                       {"before", number_or_null(entry.before)},
                       {"after", number_or_null(entry.after)},
                       {"before_name", text_or_null(entry.before_name)},
                       {"after_name", text_or_null(entry.after_name)},
                       {"title", entry.title},
                       {"hunks", hunks_json(entry.hunks)}});
  }
  return report_json(
      {{"schema", 1}, {"before", report.before}, {"after", report.after}, {"patches", std::move(patches)}});
}

std::string series_markdown(const SeriesReport& report) {
  std::string out = concat("# ", markdown_text(series_title(report)), "\n\n", series_counts(report), "\n");
  for (const SeriesEntry& entry : report.entries) {
    out += concat("\n## ", code_span(series_name(entry)), ": ", series_words(entry), "\n\n", markdown_text(entry.title),
                  "\n");
    std::string diff;
    for (const AuditHunk& hunk : entry.hunks) {
      if (!diff.empty()) diff += "@@\n";
      for (const AuditLine& line : hunk) diff += concat(line.kind, line.text, "\n");
    }
    if (!diff.empty()) out += "\n" + code_block(diff, "diff");
  }
  return out;
}

}  // namespace torchpatch::emit
