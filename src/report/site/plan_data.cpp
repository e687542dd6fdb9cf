// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <map>
#include <utility>

#include "document/html.h"
#include "report/site/site.h"
#include "report/site/site_pages.h"
#include "support/text.h"

namespace torchpatch::report {

namespace {

/// Returns words, tone, and whether it changes the tree; null if the issue does not apply.
Json answer_json(const IssueDecision& answer) {
  if (answer.status == IssueStatus::not_affected) return nullptr;
  return Json::array({answer_words(answer), tone_class(answer_tone(answer)), changes_tree(answer)});
}

/// Returns the run-length encoding: 5 5 7 → 5 2 7 1.
Json run_lengths(const std::vector<int>& numbers) {
  Json runs = Json::array();
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i;
    while (end < numbers.size() && numbers[end] == numbers[i]) ++end;
    runs.push_back(numbers[i]);
    runs.push_back(end - i);
    i = end;
  }
  return runs;
}

Json board_json(const SiteData& data, const Board& board) {
  std::vector<int> defaults;
  for (const Release* release : data.releases) {
    const Plan* plan = plan_for(data, *release, board.id);
    const auto image = plan ? std::ranges::find(board.images, plan->image->id, &Image::id) : board.images.end();
    defaults.push_back(image == board.images.end() ? SiteData::kNoFit : static_cast<int>(image - board.images.begin()));
  }
  Json images = Json::array();
  for (const Image& image : board.images) images.push_back({{"id", image.id}, {"title", image.title}});
  return {{"id", board.id},
          {"title", board.title},
          {"vendor", vendor_words(board)},
          {"images", images},
          {"defaults", run_lengths(defaults)}};
}

/// Returns the evidence by indices of release and image: [release, image, level, words].
Json evidence_json(const SiteData& data) {
  Json list = Json::array();
  for (const BuildEvidence& each : data.catalog->evidence) {
    const auto release =
        std::ranges::find(data.releases, each.release, [](const Release* of) { return of->version.text(); });
    const auto target = std::ranges::find_if(data.targets, [&](const Machine& machine) {
      return machine.board->id == each.board && machine.image->id == each.image;
    });
    list.push_back(Json::array(
        {release - data.releases.begin(), target - data.targets.begin(), name_of(each.level), evidence_words(each)}));
  }
  return list;
}

}  // namespace

std::string plan_data(const SiteData& data) {
  Json issues = Json::array(), rows = Json::array();
  std::map<std::vector<int>, int> numbers;
  for (const Issue* issue : issues_by_severity(*data.catalog)) {
    Json of_targets = Json::array();
    for (const std::vector<int>& answers : data.matrix.at(issue->id)) {
      const auto [number, is_new] = numbers.try_emplace(answers, static_cast<int>(numbers.size()));
      if (is_new) rows.push_back(run_lengths(answers));
      of_targets.push_back(number->second);
    }
    issues.push_back({{"id", issue->id}, {"title", issue->title}, {"rows", of_targets}});
  }
  Json boards = Json::array(), answers = Json::array(), releases = Json::array();
  for (const auto& [id, board] : data.catalog->boards) boards.push_back(board_json(data, board));
  for (const IssueDecision& answer : data.answers) answers.push_back(answer_json(answer));
  for (const Release* release : data.releases) releases.push_back(release->version.text());
  const Json plans = {{"releases", releases}, {"boards", boards}, {"issues", issues},
                      {"answers", answers},   {"rows", rows},     {"evidence", evidence_json(data)}};
  return concat("'use strict';\n\nconst torchpatchPlans = ", indented_json(plans, -1), ";\n");
}

}  // namespace torchpatch::report
