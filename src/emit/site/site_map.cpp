// SPDX-License-Identifier: BSD-3-Clause
#include "emit/site/site_map.h"

#include <algorithm>

#include "emit/check/heat_map_html.h"
#include "emit/format/number_text.h"
#include "emit/site/plan_words.h"
#include "emit/site/site_words.h"
#include "support/text.h"

namespace torchpatch::emit {
namespace {

std::size_t count(const Plan& plan, IssueStatus status) {
  return static_cast<std::size_t>(std::count_if(plan.issues.begin(), plan.issues.end(),
                                                [status](const IssueDecision& each) { return each.status == status; }));
}

Square square_of(const Plan& plan) {
  const std::size_t uncertified = count(plan, IssueStatus::uncertified);
  const std::size_t undecided = count(plan, IssueStatus::undecided);
  const std::size_t changes = tree_changes(plan).size();
  const std::string title = concat(plan.release->version.text(), " on ", plan.board->id, ", ", plan.image->id, ": ",
                                   counted(changes, "issue"), " answered in the tree, ",
                                   count(plan, IssueStatus::applied) - changes, " by the environment, steps and advice",
                                   uncertified > 0 ? concat(", ", uncertified, " without certificate") : "",
                                   undecided > 0 ? concat(", ", undecided, " undecided") : "");
  if (uncertified > 0) return {SquareKind::uncertified, uncertified, title};
  if (undecided > 0) return {SquareKind::undecided, undecided, title};
  return {changes > 0 ? SquareKind::patched : SquareKind::plain, changes, title};
}

std::vector<std::string> release_names(const SiteData& data) {
  std::vector<std::string> names;
  for (const Release* release : data.releases) names.push_back(release->version.text());
  return names;
}

std::vector<std::string> board_names(const SiteData& data) {
  std::vector<std::string> names;
  for (const auto& [id, board] : data.catalog->boards) names.push_back(id);
  return names;
}

}  // namespace

HeatMap plan_map(const SiteData& data) {
  HeatMap map;
  for (const Release* release : data.releases) {
    std::vector<Square>& row = map.emplace_back();
    for (const auto& [id, board] : data.catalog->boards) {
      const auto plan = data.plans.find({release->version, id});
      if (plan != data.plans.end()) {
        row.push_back(square_of(plan->second));
      } else {
        row.push_back({SquareKind::no_image, 0, concat(release->version.text(), " on ", id, ": no image fits")});
      }
    }
  }
  return map;
}

std::string site_map_html(const SiteData& data) {
  const HeatMap map = plan_map(data);
  return heat_map_table(release_names(data), board_names(data), map, {"releases/", "boards/"}) + heat_map_legend(map);
}

Table site_map_table(const SiteData& data) {
  Table table{"Issues answered in the tree, by release and board", {"Release"}, {}};
  for (const std::string& board : board_names(data)) table.heads.push_back(board);
  const HeatMap map = plan_map(data);
  for (std::size_t i = 0; i < map.size(); ++i) {
    std::vector<Cell>& row = table.rows.emplace_back();
    row.push_back(cell({release_link(data.releases[i]->version.text())}));
    for (const Square& square : map[i]) row.push_back(cell(square.label()));
  }
  return table;
}

}  // namespace torchpatch::emit
