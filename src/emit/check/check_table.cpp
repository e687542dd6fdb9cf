// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "emit/check/cell_groups.h"
#include "emit/check/heat_map.h"
#include "emit/format/text_table.h"
#include "support/text.h"

namespace torchpatch::emit {

namespace {

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

}  // namespace torchpatch::emit
