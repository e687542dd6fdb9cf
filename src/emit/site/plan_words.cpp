// SPDX-License-Identifier: BSD-3-Clause
#include "emit/site/plan_words.h"

#include "emit/site/site_words.h"
#include "support/text.h"

namespace torchpatch::emit {
namespace {

bool changes_tree(const IssueDecision& decision) {
  return decision.status == IssueStatus::applied &&
         (decision.kind == FixKind::patch || decision.kind == FixKind::files);
}

Line change(const IssueDecision& decision) {
  const Answer answer{decision.status, decision.fix, decision.kind, decision.variant};
  return {issue_id_link(decision.issue), text(concat(" (", answer_words(answer), ")"))};
}

/// Links to the issues that `is_wanted` takes.
template <typename Predicate>
Line issues_where(const Plan& plan, Predicate is_wanted) {
  std::vector<Line> links;
  for (const IssueDecision& decision : plan.issues) {
    if (is_wanted(decision)) links.push_back({issue_id_link(decision.issue)});
  }
  return joined(links, ", ");
}

Line applied_by(const Plan& plan, FixKind kind) {
  return issues_where(
      plan, [kind](const IssueDecision& each) { return each.status == IssueStatus::applied && each.kind == kind; });
}

Line with_status(const Plan& plan, IssueStatus status) {
  return issues_where(plan, [status](const IssueDecision& each) { return each.status == status; });
}

Line settings_of(const Plan& plan) {
  std::vector<Line> settings;
  for (const PlannedSetting& setting : plan.environment) {
    static constexpr std::string_view kIssue = "issue ";
    if (!starts_with(setting.origin, kIssue)) continue;
    settings.push_back({code(concat(setting.name, "=", shell_quote(setting.value))), text(" ("),
                        issue_id_link(setting.origin.substr(kIssue.size())), text(")")});
  }
  return joined(settings, ", ");
}

void replace_all(std::string& words, const std::string& what, const std::string& by) {
  for (std::size_t at = words.find(what); at != std::string::npos; at = words.find(what, at + by.size())) {
    words.replace(at, what.size(), by);
  }
}

}  // namespace

std::vector<Line> tree_changes(const Plan& plan) {
  std::vector<Line> changes;
  for (const IssueDecision& decision : plan.issues) {
    if (changes_tree(decision)) changes.push_back(change(decision));
  }
  return changes;
}

Facts plan_facts(const Plan& plan) {
  return {{{"In the tree", joined(tree_changes(plan), ", ")},
           {"Environment", settings_of(plan)},
           {"Steps", applied_by(plan, FixKind::post_build)},
           {"To keep in mind", applied_by(plan, FixKind::advice)},
           {"On request", with_status(plan, IssueStatus::declined)},
           {"No certificate", with_status(plan, IssueStatus::uncertified)},
           {"Undecided", with_status(plan, IssueStatus::undecided)}}};
}

std::string facts_key(const Facts& facts) {
  std::string key;
  for (const auto& [term, line] : facts.rows) {
    for (const Inline& part : line) key += part.text;
    key += '\n';
  }
  return key;
}

std::string misfit_words(const std::string& reason, const Release& release) {
  std::string words = reason;
  replace_all(words, concat("release ", release.version.text(), " "), "the release ");
  return words;
}

}  // namespace torchpatch::emit
