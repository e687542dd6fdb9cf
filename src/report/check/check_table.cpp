// SPDX-License-Identifier: BSD-3-Clause
#include "report/check/check_table.h"

#include <algorithm>

#include "document/text.h"
#include "report/check/heat_map.h"
#include "support/text.h"

namespace torchpatch::report {

namespace {

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
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
  for (const SquareKind kind : square_kinds()) {
    text += concat("  ", square_meaning(kind).example, ": ", square_meaning(kind).text, "\n");
  }
  return text;
}

std::string groups_text(const CheckReport& report, CellStatus status, const std::string& heading) {
  const std::vector<CellGroup> groups = group_cells(report, status);
  if (groups.empty()) return {};
  std::string text = concat("\n", heading, "\n");
  for (const CellGroup& group : groups) {
    text += concat("  ", group.issue, ", ", releases_text(group), ", on ", boards_text(group), "\n    ",
                   plain_line(group.reason), "\n");
  }
  return text;
}

}  // namespace

std::vector<CellGroup> group_cells(const CheckReport& report, CellStatus status) {
  std::vector<CellGroup> groups;
  std::map<std::pair<std::string, std::string>, std::size_t> known;
  for (const CheckCell& cell : report.cells) {
    if (cell.status != status) continue;
    const auto [place, is_new] = known.emplace(std::make_pair(cell.issue, cell.reason), groups.size());
    if (is_new) groups.push_back({cell.issue, cell.reason, {}, {}});
    add_once(groups[place->second].releases, cell.release);
    add_once(groups[place->second].boards, cell.board);
  }
  return groups;
}

std::string releases_text(const CellGroup& group) {
  if (group.releases.size() <= 3) return join(group.releases, ", ");
  return concat(group.releases.front(), " to ", group.releases.back(), " (", group.releases.size(), " releases)");
}

std::string boards_text(const CellGroup& group) {
  if (group.boards.size() <= 6) return join(group.boards, ", ");
  return concat(group.boards.front(), " and ", group.boards.size() - 1, " other boards");
}

const std::vector<std::pair<CellStatus, std::string>>& troubled_statuses() {
  static const std::vector<std::pair<CellStatus, std::string>> statuses = {
      {CellStatus::broken, "broken: the patch does not make what its certificate says"},
      {CellStatus::uncertified, "uncertified: no certificate says what the patch makes"},
      {CellStatus::undecided, "undecided"}};
  return statuses;
}

std::string counts_text(const CheckReport& report) {
  const auto counts = count_cells(report);
  std::vector<std::string> parts;
  for (const CellStatus status : cell_statuses()) {
    parts.push_back(concat(counts.at(status), " ", cell_status_name(status)));
  }
  return concat(report.cells.size(), " cells (release, board, image, issue): ", join(parts, ", "));
}

std::string no_sources_text(const CheckReport& report) {
  if (report.has_sources) return {};
  return "without sources: no patch was applied; the plans say what would be (--mirror DIR applies them)";
}

std::string check_table(const CheckReport& report) {
  std::string text = matrix(report);
  for (const auto& [status, heading] : troubled_statuses()) text += groups_text(report, status, heading);
  std::vector<std::vector<std::string>> rows;
  for (const Finding& finding : report.findings) rows.push_back({finding.text()});
  text += text_section("findings in the data", rows);
  rows.clear();
  for (const MissingCommit& missing : report.missing) rows.push_back({missing.release, missing.text});
  text += text_section("not to be had, and so not checked", rows);
  if (!text.empty()) text += "\n";
  if (!report.has_sources) text += no_sources_text(report) + "\n";
  return text + counts_text(report) + "\n";
}

}  // namespace torchpatch::report
