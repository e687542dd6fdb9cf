// SPDX-License-Identifier: BSD-3-Clause
#include "trees/diagnose/diagnose.h"

#include <algorithm>

#include "search/find_issues.h"

namespace torchpatch::trees {

namespace {

bool is_elsewhere(const Match& match) { return match.decision && match.decision->status == IssueStatus::not_affected; }

/// Returns the fix that is used; else those that may help a build that was asked for nothing, or all.
std::vector<const Fix*> remedies_of(const Match& match) {
  static const Facts kUnasked = {{"distributed", true}};
  const bool is_used = match.decision && !match.decision->fix.empty();
  std::vector<const Fix*> all, fitting;
  for (const Fix& fix : match.issue->fixes) {
    if (is_used && match.decision->fix != fix.id) continue;
    all.push_back(&fix);
    if (is_used || evaluate(fix.when, kUnasked).truth != Truth::no) fitting.push_back(&fix);
  }
  return fitting.empty() ? all : fitting;
}

/// Says of each match what the plan decided. Of those that concern it and fit equally well, the most specific come
/// first: its conditions hold.
void look_at_plan(const Plan& plan, Diagnosis& diagnosis) {
  diagnosis.release = plan.release->version.text();
  diagnosis.board = plan.board->id;
  diagnosis.image = plan.image->id;
  for (Match& match : diagnosis.matches) {
    const auto decision = std::ranges::find(plan.issues, match.issue->id, &IssueDecision::issue);
    if (decision != plan.issues.end()) match.decision = *decision;
    if (is_elsewhere(match)) match.confidence = Confidence::possible;
  }
  // Not by std::ranges, whose partition clang 14 cannot compile.
  const auto others = std::stable_partition(diagnosis.matches.begin(), diagnosis.matches.end(),
                                            [](const Match& match) { return !is_elsewhere(match); });
  std::stable_sort(diagnosis.matches.begin(), others, [](const Match& a, const Match& b) {
    if (a.score != b.score) return a.score > b.score;
    return search::conditions_of(*a.issue) > search::conditions_of(*b.issue);
  });
}

}  // namespace

Diagnosis diagnose(const Catalog& catalog, const std::function<std::string_view()>& next_piece, const Plan* plan) {
  Diagnosis diagnosis = search::find_issues(search::make_index(catalog), next_piece);
  if (plan != nullptr) look_at_plan(*plan, diagnosis);
  for (Match& match : diagnosis.matches) match.remedies = remedies_of(match);
  return diagnosis;
}

}  // namespace torchpatch::trees
