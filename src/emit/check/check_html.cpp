// SPDX-License-Identifier: BSD-3-Clause
#include "emit/check/cell_groups.h"
#include "emit/check/heat_map_html.h"
#include "emit/html/html_text.h"
#include "emit/html/page.h"
#include "support/text.h"

namespace torchpatch::emit {

namespace {

std::string list(const std::string& heading, const std::vector<std::string>& items) {
  if (items.empty()) return {};
  std::string html = concat("<h2>", html_text(heading), "</h2>\n<ul>\n");
  for (const std::string& item : items) html += concat("<li>", item, "</li>\n");
  return html + "</ul>\n";
}

std::string groups(const CheckReport& report) {
  std::string html;
  for (const auto& [status, heading] : troubled_statuses()) {
    std::vector<std::string> items;
    for (const CellGroup& group : group_cells(report, status)) {
      items.push_back(concat("<strong>", html_text(group.issue), "</strong>, ", html_text(releases_text(group)),
                             ", on ", html_text(boards_text(group)), "<br>", html_code(group.reason)));
    }
    html += list(heading, items);
  }
  return html;
}

std::string main_part(const CheckReport& report) {
  std::vector<std::string> findings, missing;
  for (const Finding& finding : report.findings) findings.push_back(html_text(finding.text()));
  for (const MissingCommit& each : report.missing) missing.push_back(html_text(each.release + ": " + each.text));
  const HeatMap map = report.cells.empty() ? HeatMap{} : make_heat_map(report);
  return concat("<h1>Check of the catalog</h1>\n<p>", html_text(counts_text(report)), ".</p>\n",
                report.has_sources ? "" : concat("<p>", html_text(no_sources_text(report)), ".</p>\n"),
                map.empty() ? "" : heat_map_table(report.releases, report.boards, map) + heat_map_legend(map),
                groups(report), list("Findings in the data", findings),
                list("Not to be had, and so not checked", missing));
}

}  // namespace

std::string check_html(const CheckReport& report) {
  return html_page({.title = "torchpatch check",
                    .description = "What becomes of each known issue, for every release, board and image.",
                    .home = {"torchpatch", "", false},
                    .main = main_part(report),
                    .style = page_style(heat_map_css())});
}

}  // namespace torchpatch::emit
