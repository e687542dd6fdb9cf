// SPDX-License-Identifier: BSD-3-Clause
#include "report/check/check_report.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "document/html.h"
#include "document/text.h"
#include "report/check/heat_map.h"
#include "report/reports.h"
#include "report/words.h"
#include "support/text.h"

namespace torchpatch::report {

namespace {

struct Suite {
  std::string name;
  std::string cases;
  std::size_t tests = 0, failures = 0, errors = 0, skipped = 0;
};

using CellRange = std::pair<const CheckCell*, const CheckCell*>;

/// Returns lines "status issue: reason" for the cells with a status.
std::vector<std::string> lines_of(const CellRange& cells, CellStatus status) {
  std::vector<std::string> lines;
  for (const CheckCell* cell = cells.first; cell != cells.second; ++cell)
    if (cell->status == status) lines.push_back(xml_text(concat(cell->issue, ": ", cell->reason)));
  return lines;
}

std::string outcome(const char* element, const char* meaning, const std::vector<std::string>& lines) {
  return concat("      <", element, " message=\"", lines.size(), " ", meaning, "\">", join(lines, "\n"), "</", element,
                ">\n");
}

/// Adds a case for one board and image. Uncertified or undecided ones are skipped, since they were not checked.
void add_case(const CellRange& cells, Suite& suite) {
  const auto broken = lines_of(cells, CellStatus::broken);
  const auto uncertified = lines_of(cells, CellStatus::uncertified);
  const auto undecided = lines_of(cells, CellStatus::undecided);
  ++suite.tests;
  suite.cases += concat("    <testcase classname=\"", xml_text(suite.name), "\" name=\"",
                        xml_text(concat(cells.first->board, " ", cells.first->image)), "\">\n");
  if (!broken.empty()) {
    ++suite.failures;
    suite.cases += outcome("failure", "broken", broken);
  } else if (!uncertified.empty()) {
    ++suite.skipped;
    suite.cases += outcome("skipped", "uncertified", uncertified);
  } else if (!undecided.empty()) {
    ++suite.skipped;
    suite.cases += outcome("skipped", "undecided", undecided);
  }
  suite.cases += "    </testcase>\n";
}

Suite data_suite(const CheckReport& report) {
  std::vector<std::string> lines;
  for (const Finding& finding : report.findings) lines.push_back(xml_text(finding.text()));
  for (const WrongCitation& wrong : report.citations.wrong) lines.push_back(xml_text(wrong.text()));
  Suite suite{"catalog", "", 1, lines.empty() ? 0u : 1u, report.missing.empty() ? 0u : 1u, 0};
  suite.tests += suite.errors;
  suite.cases = "    <testcase classname=\"catalog\" name=\"data\">\n";
  if (!lines.empty()) suite.cases += outcome("failure", "findings", lines);
  suite.cases += "    </testcase>\n";
  if (report.missing.empty()) return suite;
  lines.clear();
  for (const MissingCommit& each : report.missing) lines.push_back(xml_text(each.release + ": " + each.text));
  suite.cases += "    <testcase classname=\"catalog\" name=\"sources\">\n" + outcome("error", "missing", lines) +
                 "    </testcase>\n";
  return suite;
}

std::vector<Suite> suites_of(const CheckReport& report) {
  std::vector<Suite> suites = {data_suite(report)};
  const CheckCell* const end = report.cells.data() + report.cells.size();
  for (const CheckCell* first = report.cells.data(); first != end;) {
    const CheckCell* last = std::find_if(first, end, [&](const CheckCell& cell) {
      return cell.release != first->release || cell.board != first->board || cell.image != first->image;
    });
    const std::string name = "torch " + first->release;
    if (suites.back().name != name) suites.push_back({name, "", 0, 0, 0, 0});
    add_case({first, last}, suites.back());
    first = last;
  }
  return suites;
}

std::string attributes(const Suite& suite) {
  return concat(" name=\"", xml_text(suite.name), "\" tests=\"", suite.tests, "\" failures=\"", suite.failures,
                "\" errors=\"", suite.errors, "\"");
}

/// An issue with one reason, and all releases and boards where it applies, in report order.
struct CellGroup {
  std::string issue, reason;
  std::vector<std::string> releases{}, boards{};
};

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::ranges::count(names, name) == 0) names.push_back(name);
}

/// Groups the cells of a status, in order of their first cells.
std::vector<CellGroup> group_cells(const CheckReport& report, CellStatus status) {
  std::vector<CellGroup> groups;
  std::map<std::pair<std::string, std::string>, std::size_t> known;
  for (const CheckCell& cell : report.cells) {
    if (cell.status != status) continue;
    const auto [place, is_new] = known.emplace(std::make_pair(cell.issue, cell.reason), groups.size());
    if (is_new) groups.push_back({cell.issue, cell.reason});
    add_once(groups[place->second].releases, cell.release);
    add_once(groups[place->second].boards, cell.board);
  }
  return groups;
}

/// Returns "1.0.0, 1.0.1" or, for more than three, "1.0.0 to 1.10.2 (21 releases)".
std::string releases_text(const CellGroup& group) {
  if (group.releases.size() <= 3) return join(group.releases, ", ");
  return concat(group.releases.front(), " to ", group.releases.back(), " (", group.releases.size(), " releases)");
}

/// Returns "nano, tx2" or, for more than six, "nano and 20 other boards".
std::string boards_text(const CellGroup& group) {
  if (group.boards.size() <= 6) return join(group.boards, ", ");
  return concat(group.boards.front(), " and ", group.boards.size() - 1, " other boards");
}

void add_groups(const CheckReport& report, CellStatus status, const std::string& heading, std::vector<Block>& blocks) {
  Items items;
  for (const CellGroup& group : group_cells(report, status)) {
    items.items.push_back({strong(group.issue), text(concat(", ", releases_text(group), ", on ", boards_text(group))),
                           line_end(), code(group.reason)});
  }
  add_section(blocks, heading, {std::move(items)});
}

/// Returns the problems, worst first.
std::vector<Block> troubles(const CheckReport& report) {
  std::vector<Block> blocks;
  add_groups(report, CellStatus::broken, "broken: the result of the patch differs from its certificate", blocks);
  add_groups(report, CellStatus::uncertified, "uncertified: the patch has no certificate", blocks);
  add_groups(report, CellStatus::undecided, "undecided", blocks);
  add_items(blocks, "findings in the data", collect(report.findings, &Finding::text));
  add_items(blocks, "wrong citations", collect(report.citations.wrong, &WrongCitation::text));
  add_items(blocks, "missing: prepare would not find these", collect(report.missing, [](const MissingCommit& missing) {
              return concat(missing.release, ": ", missing.text);
            }));
  return blocks;
}

constexpr std::size_t kColumn = 4;  ///< width of a square with the preceding gap

std::string padded(const std::string& text, std::size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

std::string trimmed(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

/// Returns the boards' names vertically over their columns: two dozen do not fit horizontally.
std::string column_heads(const std::vector<std::string>& boards, std::size_t indent) {
  const std::size_t height = longest(boards);
  std::string text;
  for (std::size_t row = 0; row < height; ++row) {
    std::string line(indent, ' ');
    for (const std::string& board : boards) {
      const std::size_t skipped = height - board.size();
      line += padded(row < skipped ? "" : std::string(1, board[row - skipped]), kColumn);
    }
    text += trimmed(line);
  }
  return text;
}

/// Returns the heat map in letters, with a legend.
std::string matrix(const CheckReport& report) {
  if (report.cells.empty()) return {};
  const std::size_t indent = longest(report.releases);
  std::string text = column_heads(report.boards, indent);
  const HeatMap map = make_heat_map(report);
  for (std::size_t i = 0; i < map.size(); ++i) {
    std::string line = report.releases[i] + std::string(indent - report.releases[i].size(), ' ');
    for (const Square& square : map[i]) line += padded(square.label(), kColumn);
    text += trimmed(line);
  }
  text += "\n";
  for (const SquareMeaning& each : square_meanings()) text += concat(each.example(), ": ", each.text, "\n");
  return text;
}

/// Returns "left to do for 1.10.0: 2 sources are not verified (cuda, build_tools.gcc); 1 patchset has no proof (T5)".
std::string left_text(const LeftToDo& left) {
  std::vector<std::string> parts;
  const auto add = [&](const std::vector<std::string>& names, const char* one, const char* many) {
    if (!names.empty())
      parts.push_back(concat(names.size(), names.size() == 1 ? one : many, " (", join(names, ", "), ")"));
  };
  add(left.sources, " source is not verified", " sources are not verified");
  add(left.patchsets, " patchset has no proof", " patchsets have no proof");
  add(left.unported, " patchset that fixes an issue of the release has no variant for it",
      " patchsets that fix an issue of the release have no variant for it");
  return concat("left to do for ", left.release, ": ", join(parts, "; "));
}

}  // namespace

std::string check_json(const CheckReport& report) {
  // One line per cell: there are hundreds of thousands.
  std::string text = report_json(to_json(report, JsonForm::report));
  const std::string rest = "]\n}\n";
  text.resize(text.size() - rest.size());
  const char* separator = "\n    ";
  for (const CheckCell& cell : report.cells) {
    text += separator + indented_json(to_json(cell, JsonForm::report), -1);
    separator = ",\n    ";
  }
  return text + (report.cells.empty() ? rest : "\n  " + rest);
}

// The elements read by Jenkins, GitLab and GitHub's actions: testsuites, testsuite, testcase, failure, error, skipped.
std::string check_junit(const CheckReport& report) {
  Suite all{"torchpatch check", "", 0, 0, 0, 0};
  std::string body;
  for (const Suite& suite : suites_of(report)) {
    all.tests += suite.tests;
    all.failures += suite.failures;
    all.errors += suite.errors;
    body += concat("  <testsuite", attributes(suite), " skipped=\"", suite.skipped, "\">\n", suite.cases,
                   "  </testsuite>\n");
  }
  return concat("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites", attributes(all), ">\n", body,
                "</testsuites>\n");
}

std::string counts_text(const CheckReport& report) {
  const auto counts = count_cells(report);
  const auto part = [&](const auto& named) { return concat(counts.at(named.first), " ", named.second); };
  return concat(report.cells.size(),
                " cells (release, board, image, issue): ", join(collect(kNamesOf<CellStatus>, part), ", "));
}

std::string sources_text(const CheckReport& report) {
  if (!report.has_sources) return "no sources: no patch was applied (--mirror DIR applies them)";
  const CitationCheck& check = report.citations;
  return concat(check.checked(), " citations of sources were checked (", check.flags, " of flags, ", check.pages,
                " of pages, ", check.releases, " of releases, ", check.boards, " of boards, ", check.advisories,
                " of advisories, ", check.absences, " absences), ", check.wrong.size(), " wrong, ", check.not_here,
                " not checked (sources not available)");
}

Document check_document(const CheckReport& report) {
  Document page;
  if (const std::string map = matrix(report); !map.empty()) page.blocks.push_back(Literal{map});
  add_blocks(page.blocks, troubles(report));
  page.blocks.push_back(Heading{2, counts_text(report)});
  std::vector<std::string> ends = {sources_text(report)};
  std::ranges::transform(report.left, std::back_inserter(ends), left_text);
  page.blocks.push_back(plain_items(ends));
  return page;
}

std::string check_html(const CheckReport& report) {
  std::vector<Block> lead = {Paragraph{{text(counts_text(report) + ".")}}};
  lead.push_back(Paragraph{{text(sources_text(report) + ".")}});
  const HeatMap map = report.cells.empty() ? HeatMap{} : make_heat_map(report);
  return html_page(
      {.title = "torchpatch check",
       .description = "The status of each known issue for every release, board and image.",
       .home = {"torchpatch", "", false},
       .main = concat("<h1>Check of the catalog</h1>\n", blocks_html(lead),
                      map.empty() ? "" : heat_map_table(report.releases, report.boards, map) + heat_map_legend(map),
                      blocks_html(troubles(report))),
       .style = page_style(heat_map_css())});
}

}  // namespace torchpatch::report
