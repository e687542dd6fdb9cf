// SPDX-License-Identifier: BSD-3-Clause
#include "emit/check/cell_groups.h"
#include "emit/check/heat_map.h"
#include "emit/check/heat_map_style.h"
#include "emit/format/xml_text.h"
#include "support/text.h"

namespace torchpatch::emit {

namespace {

std::string style() {
  std::string css = heat_map_variables() +
                    R"(body { background: var(--page); color: var(--ink); font: 15px/1.5 sans-serif; margin: 1.5em; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 13px; }
th, td { border: 1px solid var(--line); padding: 2px 6px; text-align: center; }
thead th { writing-mode: vertical-rl; vertical-align: bottom; white-space: nowrap; }
tbody th { position: sticky; left: 0; background: var(--page); text-align: left; white-space: nowrap; }
.legend { list-style: none; padding: 0; }
.legend span { display: inline-block; min-width: 2.2em; margin-right: .5em; border: 1px solid var(--line); text-align: center; }
code { overflow-wrap: anywhere; }
)";
  for (const SquareKind kind : square_kinds()) {
    const char* name = square_class(kind);
    css += concat(".", name, " { background: var(--", name, "); color: var(--", name, "-ink); }\n");
  }
  return css;
}

std::string table(const CheckReport& report) {
  if (report.cells.empty()) return {};
  std::string html = "<div class=\"wide\">\n<table>\n<caption>Releases and boards</caption>\n<thead><tr><td></td>";
  for (const std::string& board : report.boards) html += concat("<th scope=\"col\">", xml_text(board), "</th>");
  html += "</tr></thead>\n<tbody>\n";
  const HeatMap map = make_heat_map(report);
  for (std::size_t row = 0; row < map.size(); ++row) {
    html += concat("<tr><th scope=\"row\">", xml_text(report.releases[row]), "</th>");
    for (const Square& square : map[row]) {
      html += concat("<td class=\"", square_class(square.kind), "\" title=\"", xml_text(square.title), "\">",
                     square.label(), "</td>");
    }
    html += "</tr>\n";
  }
  return html + "</tbody>\n</table>\n</div>\n";
}

std::string legend() {
  std::string html = "<ul class=\"legend\">\n";
  for (const SquareKind kind : square_kinds()) {
    const SquareMeaning meaning = square_meaning(kind);
    html +=
        concat("<li><span class=\"", square_class(kind), "\">", meaning.example, "</span> ", meaning.text, "</li>\n");
  }
  return html + "</ul>\n";
}

std::string list(const std::string& heading, const std::vector<std::string>& items) {
  if (items.empty()) return {};
  std::string html = concat("<h2>", xml_text(heading), "</h2>\n<ul>\n");
  for (const std::string& item : items) html += concat("<li>", item, "</li>\n");
  return html + "</ul>\n";
}

std::string groups(const CheckReport& report) {
  std::string html;
  for (const auto& [status, heading] : troubled_statuses()) {
    std::vector<std::string> items;
    for (const CellGroup& group : group_cells(report, status)) {
      items.push_back(concat("<strong>", xml_text(group.issue), "</strong>, ", xml_text(releases_text(group)), ", on ",
                             xml_text(boards_text(group)), "<br><code>", xml_text(group.reason), "</code>"));
    }
    html += list(heading, items);
  }
  return html;
}

}  // namespace

std::string check_html(const CheckReport& report) {
  std::vector<std::string> findings, missing;
  for (const Finding& finding : report.findings) findings.push_back(xml_text(finding.text()));
  for (const MissingCommit& each : report.missing) missing.push_back(xml_text(each.release + ": " + each.text));
  return concat(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\">\n<title>torchpatch check</title>\n<style>\n",
      style(), "</style>\n</head>\n<body>\n<h1>torchpatch check</h1>\n<p>", xml_text(counts_text(report)), ".</p>\n",
      report.has_sources ? "" : concat("<p>", xml_text(no_sources_text(report)), ".</p>\n"), table(report), legend(),
      groups(report), list("findings in the data", findings), list("not to be had, and so not checked", missing),
      "</body>\n</html>\n");
}

}  // namespace torchpatch::emit
