// SPDX-License-Identifier: BSD-3-Clause
#include "ops/diagnose/diagnose.h"

#include <algorithm>

#include "search/symptom_index.h"

namespace torchpatch::ops {

namespace {

bool is_elsewhere(const Match& match) { return match.decision && match.decision->status == IssueStatus::not_affected; }

}  // namespace

Diagnosis diagnose(const Catalog& catalog, std::string_view log, const Plan* plan) {
  Diagnosis diagnosis{.matches = search::find_issues(search::make_index(catalog), log)};
  if (plan == nullptr) return diagnosis;
  diagnosis.release = plan->release->version.text();
  diagnosis.board = plan->board->id;
  diagnosis.image = plan->image->id;
  for (Match& match : diagnosis.matches) {
    const auto decision = std::ranges::find(plan->issues, match.issue->id, &IssueDecision::issue);
    if (decision != plan->issues.end()) match.decision = *decision;
    if (is_elsewhere(match)) match.confidence = Confidence::possible;
  }
  // Of those that concern it and fit equally well, the most specific first: its conditions hold. Not by std::ranges,
  // whose partition clang 14 cannot compile.
  const auto others = std::stable_partition(diagnosis.matches.begin(), diagnosis.matches.end(),
                                            [](const Match& match) { return !is_elsewhere(match); });
  std::stable_sort(diagnosis.matches.begin(), others, [](const Match& a, const Match& b) {
    if (a.score != b.score) return a.score > b.score;
    return search::conditions_of(*a.issue) > search::conditions_of(*b.issue);
  });
  return diagnosis;
}

}  // namespace torchpatch::ops
