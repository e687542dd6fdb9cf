// SPDX-License-Identifier: BSD-3-Clause
#include "emit/audit/hunk_html.h"

#include <algorithm>
#include <vector>

#include "emit/audit/audit_words.h"
#include "emit/format/number_text.h"
#include "emit/html/html_text.h"
#include "support/text.h"

namespace torchpatch::emit {
namespace {

constexpr std::size_t kKept = 12;    ///< unchanged lines that stay beside a change
constexpr std::size_t kFolded = 16;  ///< fewer are not worth a fold

/// Lines [begin, end) of a hunk.
struct Segment {
  std::size_t begin = 0, end = 0;
  bool is_folded = false;
};

/// Cuts a hunk where unchanged lines are many.
std::vector<Segment> segments_of(const AuditHunk& hunk) {
  std::vector<Segment> segments = {{0, 0, false}};
  for (std::size_t begin = 0; begin < hunk.size();) {
    std::size_t end = begin;
    while (end < hunk.size() && hunk[end].kind == ' ') ++end;
    const std::size_t first = begin + (begin == 0 ? 0 : kKept);
    const std::size_t last = end - std::min(end, end == hunk.size() ? 0 : kKept);
    if (end > begin && last >= first + kFolded) {
      segments.back().end = first;
      segments.push_back({first, last, true});
      segments.push_back({last, end, false});
    }
    begin = end + (end == begin ? 1 : 0);
    segments.back().end = begin;
  }
  std::erase_if(segments, [](const Segment& each) { return each.begin == each.end; });
  return segments;
}

/// The text of a line: of an added or removed one what is new or gone is marked up, all of it or its words.
std::string line_text(const AuditLine& line) {
  std::string out;
  if (line.kind == ' ') {
    out = html_text(line.text);
  } else {
    const std::string tag = line.kind == '+' ? "ins" : "del";
    const std::string_view text = line.text;
    if (line.changed.empty() && !text.empty()) out = concat("<", tag, ">", html_text(text), "</", tag, ">");
    std::size_t at = 0;
    for (const auto& [begin, end] : line.changed) {
      out += concat(html_text(text.substr(at, begin - at)), "<", tag, " class=\"word\">",
                    html_text(text.substr(begin, end - begin)), "</", tag, ">");
      at = end;
    }
    if (!line.changed.empty()) out += html_text(text.substr(at));
  }
  return out + (line.has_newline ? "" : "<span class=\"end\"> no newline at the end of the file</span>");
}

std::string number_cell(std::uint32_t number) {
  return concat("<td class=\"number\">", number > 0 ? concat(number) : "", "</td>");
}

std::string code_cell(const AuditLine& line) {
  if (line.kind == ' ') return concat("<td class=\"code\">", line_text(line), "</td>");
  const bool is_added = line.kind == '+';
  return concat("<td class=\"code ", is_added ? "added" : "removed", "\"><span class=\"sign\">",
                is_added ? "+" : "\u2212", "</span>", line_text(line), "</td>");
}

std::string note_row(const LineNotes& notes, std::size_t line, int columns) {
  const auto note = notes.find(line);
  if (note == notes.end()) return {};
  return concat("<tr class=\"callout\"><td colspan=\"", columns, "\">", note->second, "</td></tr>\n");
}

std::string unified_rows(const AuditHunk& hunk, const Segment& segment, const LineNotes& notes) {
  std::string rows;
  for (std::size_t i = segment.begin; i < segment.end; ++i) {
    rows += concat("<tr>", number_cell(hunk[i].before), number_cell(hunk[i].after), code_cell(hunk[i]), "</tr>\n",
                   note_row(notes, i, 3));
  }
  return rows;
}

std::string half(const AuditHunk& hunk, std::size_t line, std::size_t end, std::uint32_t AuditLine::*number) {
  if (line >= end) return "<td class=\"number none\"></td><td class=\"code none\"></td>";
  return number_cell(hunk[line].*number) + code_cell(hunk[line]);
}

std::string split_rows(const AuditHunk& hunk, const Segment& segment, const LineNotes& notes) {
  std::string rows;
  for (std::size_t i = segment.begin; i < segment.end;) {
    if (hunk[i].kind == ' ') {
      rows += concat("<tr>", half(hunk, i, i + 1, &AuditLine::before), half(hunk, i, i + 1, &AuditLine::after),
                     "</tr>\n", note_row(notes, i, 4));
      ++i;
      continue;
    }
    const auto run_end = [&](std::size_t from, char kind) {
      while (from < segment.end && hunk[from].kind == kind) ++from;
      return from;
    };
    const std::size_t middle = run_end(i, '-'), end = run_end(middle, '+');
    for (std::size_t row = 0; row < std::max(middle - i, end - middle); ++row) {
      rows += concat("<tr>", half(hunk, i + row, middle, &AuditLine::before),
                     half(hunk, middle + row, end, &AuditLine::after), "</tr>\n");
      if (i + row < middle) rows += note_row(notes, i + row, 4);
      if (middle + row < end) rows += note_row(notes, middle + row, 4);
    }
    i = end;
  }
  return rows;
}

/// The name is no caption: Chromium lays a table out otherwise where its caption does not show.
std::string table(const std::string& view, const std::string& name, const std::string& rows) {
  return concat("<table class=\"lines ", view, "\" aria-label=\"", html_text(name), "\">\n<tbody>\n", rows,
                "</tbody>\n</table>\n");
}

}  // namespace

std::string hunk_html(const AuditHunk& hunk, const std::string& caption, const LineNotes& notes) {
  const bool is_bare =
      std::all_of(hunk.begin(), hunk.end(), [](const AuditLine& line) { return line.before == 0 && line.after == 0; });
  const std::string bare = is_bare ? " bare" : "";
  std::string html;
  for (const Segment& segment : segments_of(hunk)) {
    const std::string tables = table("split" + bare, caption + ", side by side", split_rows(hunk, segment, notes)) +
                               table("unified" + bare, caption, unified_rows(hunk, segment, notes));
    if (segment.is_folded) {
      html += concat("<details class=\"fold\">\n<summary>", counted(segment.end - segment.begin, "unchanged line"),
                     "</summary>\n", tables, "</details>\n");
    } else {
      html += tables;
    }
  }
  return html;
}

}  // namespace torchpatch::emit
