// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <vector>

#include "document/document.h"
#include "document/html.h"
#include "support/text.h"

namespace torchpatch {

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
std::string line_html(const AuditLine& line) {
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
  if (line.kind == ' ') return concat("<td class=\"code\">", line_html(line), "</td>");
  const bool is_added = line.kind == '+';
  return concat("<td class=\"code ", is_added ? "added" : "removed", "\"><span class=\"sign\">",
                is_added ? "+" : "\u2212", "</span>", line_html(line), "</td>");
}

std::string note_rows(const Hunk& hunk, std::size_t line, int columns) {
  std::string notes;
  for (const HunkNote& note : hunk.notes) {
    if (note.line != line) continue;
    notes += concat("<p class=\"note\"><strong>", html_text(note.name), "</strong> ", html_text(note.words), "</p>\n");
  }
  return notes.empty() ? "" : concat("<tr class=\"callout\"><td colspan=\"", columns, "\">", notes, "</td></tr>\n");
}

std::string unified_rows(const Hunk& of, const Segment& segment) {
  const AuditHunk& hunk = of.lines;
  std::string rows;
  for (std::size_t i = segment.begin; i < segment.end; ++i) {
    rows += concat("<tr>", number_cell(hunk[i].before), number_cell(hunk[i].after), code_cell(hunk[i]), "</tr>\n",
                   note_rows(of, i, 3));
  }
  return rows;
}

std::string half(const AuditHunk& hunk, std::size_t line, std::size_t end, std::uint32_t AuditLine::*number) {
  if (line >= end) return "<td class=\"number none\"></td><td class=\"code none\"></td>";
  return number_cell(hunk[line].*number) + code_cell(hunk[line]);
}

std::string split_rows(const Hunk& of, const Segment& segment) {
  const AuditHunk& hunk = of.lines;
  std::string rows;
  for (std::size_t i = segment.begin; i < segment.end;) {
    if (hunk[i].kind == ' ') {
      rows += concat("<tr>", half(hunk, i, i + 1, &AuditLine::before), half(hunk, i, i + 1, &AuditLine::after),
                     "</tr>\n", note_rows(of, i, 4));
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
      if (i + row < middle) rows += note_rows(of, i + row, 4);
      if (middle + row < end) rows += note_rows(of, middle + row, 4);
    }
    i = end;
  }
  return rows;
}

/// The name is no caption: Chromium lays a table out otherwise where its caption does not show.
std::string lines_table(const std::string& view, const std::string& name, const std::string& rows) {
  return concat("<table class=\"lines ", view, "\" aria-label=\"", html_text(name), "\">\n<tbody>\n", rows,
                "</tbody>\n</table>\n");
}

}  // namespace

std::string hunk_html(const Hunk& hunk, const std::string& caption) {
  const bool is_bare = std::all_of(hunk.lines.begin(), hunk.lines.end(),
                                   [](const AuditLine& line) { return line.before == 0 && line.after == 0; });
  const std::string bare = is_bare ? " bare" : "";
  std::string html;
  for (const Segment& segment : segments_of(hunk.lines)) {
    const std::string tables = lines_table("split" + bare, caption + ", side by side", split_rows(hunk, segment)) +
                               lines_table("unified" + bare, caption, unified_rows(hunk, segment));
    if (segment.is_folded) {
      html += concat("<details class=\"fold\">\n<summary>", counted(segment.end - segment.begin, "unchanged line"),
                     "</summary>\n", tables, "</details>\n");
    } else {
      html += tables;
    }
  }
  return html;
}

std::string view_switch() {
  return "<fieldset class=\"view screen-only\">\n<legend>Changes</legend>\n"
         "<label><input type=\"radio\" name=\"view\" id=\"view-auto\" checked> by width</label>\n"
         "<label><input type=\"radio\" name=\"view\" id=\"view-split\"> side by side</label>\n"
         "<label><input type=\"radio\" name=\"view\" id=\"view-unified\"> unified</label>\n"
         "<span class=\"keys\" hidden><kbd>n</kbd> next, <kbd>p</kbd> previous change</span>\n</fieldset>\n";
}

}  // namespace torchpatch
