// SPDX-License-Identifier: BSD-3-Clause
#include "emit/check/cell_groups.h"

#include <algorithm>

#include "support/text.h"

namespace torchpatch::emit {

namespace {

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
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

}  // namespace torchpatch::emit
