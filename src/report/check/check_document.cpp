// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <iterator>
#include <map>

#include "document/html.h"
#include "document/text.h"
#include "report/check/check_report.h"
#include "report/check/heat_map.h"
#include "report/words.h"
#include "support/text.h"

namespace torchpatch::report {

namespace {

/// One issue with one reason, wherever it holds; releases and boards in the report's order.
struct CellGroup {
  std::string issue, reason;
  std::vector<std::string> releases{}, boards{};
};

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

/// Returns the cells of a status in groups, in the order of their first cells.
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

/// "1.0.0, 1.0.1" or, of more than three, "1.0.0 to 1.10.2 (21 releases)".
std::string releases_text(const CellGroup& group) {
  if (group.releases.size() <= 3) return join(group.releases, ", ");
  return concat(group.releases.front(), " to ", group.releases.back(), " (", group.releases.size(), " releases)");
}

/// "nano, tx2" or, of more than six, "nano and 20 other boards".
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

/// What is not as it should be, the gravest first.
std::vector<Block> troubles(const CheckReport& report) {
  std::vector<Block> blocks;
  add_groups(report, CellStatus::broken, "broken: the patch does not make what its certificate says", blocks);
  add_groups(report, CellStatus::uncertified, "uncertified: no certificate says what the patch makes", blocks);
  add_groups(report, CellStatus::undecided, "undecided", blocks);
  add_items(blocks, "findings in the data", collect(report.findings, &Finding::text));
  add_items(blocks, "cited, and not there", collect(report.citations.wrong, &WrongCitation::text));
  add_items(blocks, "missing: not to be had, which prepare would miss",
            collect(report.missing,
                    [](const MissingCommit& missing) { return concat(missing.release, ": ", missing.text); }));
  return blocks;
}

constexpr std::size_t kColumn = 4;  ///< width of a square and the gap before it

std::string padded(const std::string& text, std::size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

std::string trimmed(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

/// The names of the boards, each downwards over its column: two dozen names do not fit side by side.
std::string column_heads(const std::vector<std::string>& boards, std::size_t indent) {
  std::size_t height = 0;
  for (const std::string& board : boards) height = std::max(height, board.size());
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

/// The heat map in letters, and what they mean.
std::string matrix(const CheckReport& report) {
  if (report.cells.empty()) return {};
  std::size_t indent = 0;
  for (const std::string& release : report.releases) indent = std::max(indent, release.size());
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

/// "left to do for 1.10.0: 9 sources are not verified; 3 patchsets have no proof".
std::string left_text(const LeftToDo& left) {
  std::vector<std::string> parts;
  if (left.unverified > 0)
    parts.push_back(concat(left.unverified, left.unverified == 1 ? " source is" : " sources are", " not verified"));
  if (left.unproven > 0)
    parts.push_back(concat(left.unproven, left.unproven == 1 ? " patchset has" : " patchsets have", " no proof"));
  return concat("left to do for ", left.release, ": ", join(parts, "; "));
}

}  // namespace

std::string counts_text(const CheckReport& report) {
  const auto counts = count_cells(report);
  const auto part = [&](const auto& named) { return concat(counts.at(named.first), " ", named.second); };
  return concat(report.cells.size(),
                " cells (release, board, image, issue): ", join(collect(kNamesOf<CellStatus>, part), ", "));
}

std::string sources_text(const CheckReport& report) {
  if (!report.has_sources)
    return "without sources: no patch was applied; the plans say what would be (--mirror DIR applies them)";
  const CitationCheck& check = report.citations;
  return concat(check.checked(), " citations of sources were looked at (", check.flags, " of flags, ", check.pages,
                " of pages, ", check.releases, " of releases, ", check.boards, " of boards, ", check.absences,
                " absences), ", check.wrong.size(), " are wrong; ", check.not_here,
                " are of sources that are not here");
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
       .description = "What becomes of each known issue, for every release, board and image.",
       .home = {"torchpatch", "", false},
       .main = concat("<h1>Check of the catalog</h1>\n", blocks_html(lead),
                      map.empty() ? "" : heat_map_table(report.releases, report.boards, map) + heat_map_legend(map),
                      blocks_html(troubles(report))),
       .style = page_style(heat_map_css())});
}

}  // namespace torchpatch::report
