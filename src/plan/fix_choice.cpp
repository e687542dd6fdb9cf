// SPDX-License-Identifier: BSD-3-Clause
#include "plan/fix_choice.h"

#include <algorithm>
#include <string_view>

#include "support/error.h"
#include "support/find.h"
#include "support/text.h"

namespace torchpatch::plan {

namespace {

/// A verdict on an issue or a fix: what becomes of it, and why.
struct Outcome {
  IssueStatus status;
  std::string reason;
  const Fix* fix = nullptr;
};

std::string ranges_text(const std::vector<VersionRange>& ranges) {
  return join(collect(ranges, &VersionRange::text), " or ");
}

/// Says whether release and facts meet the issue; `applied` stands for yes.
Outcome judge_issue(const Issue& issue, const Release& release, const Facts& facts) {
  const std::string who = concat("release ", release.version.text());
  if (!affects(issue, release.version))
    return {IssueStatus::not_affected, concat(who, " is not in ", ranges_text(issue.releases))};
  const Verdict verdict = evaluate(issue.when, facts);
  if (verdict.truth == Truth::no) return {IssueStatus::not_affected, join(verdict.reasons, "; ")};
  if (verdict.truth == Truth::unknown) return {IssueStatus::undecided, join(verdict.reasons, "; ")};
  std::vector<std::string> reasons = {concat(who, " is in ", ranges_text(issue.releases))};
  reasons.insert(reasons.end(), verdict.reasons.begin(), verdict.reasons.end());
  return {IssueStatus::applied, join(reasons, "; ")};
}

const Fix* asked_for(const Issue& issue, const PlanOptions& options) {
  return find_where(issue.fixes, [&](const Fix& fix) { return options.with_fixes.contains(fix.id); });
}

/// Returns the first fix that is not optional and whose `when` holds, or why there is none.
Outcome find_fix(const Issue& issue, const Facts& facts) {
  std::vector<std::string> reasons, optional_fixes;
  for (const Fix& fix : issue.fixes) {
    if (fix.is_optional) {
      optional_fixes.push_back("--with " + fix.id);
      continue;
    }
    const Verdict verdict = evaluate(fix.when, facts);
    const std::string reason = concat("fix ", quote(fix.id), ": ", join(verdict.reasons, "; "));
    if (verdict.truth == Truth::yes) return {IssueStatus::applied, "", &fix};
    if (verdict.truth == Truth::unknown) return {IssueStatus::undecided, reason};
    reasons.push_back(reason);
  }
  if (!optional_fixes.empty()) reasons.push_back(concat("to be asked for: ", join(optional_fixes, " or ")));
  return {IssueStatus::declined, concat("no fix is used by default: ", join(reasons, "; "))};
}

/// Returns the fix of an issue that applies, or why there is none.
Outcome answer_issue(const Issue& issue, const Facts& facts, const PlanOptions& options) {
  const Fix* asked = asked_for(issue, options);
  Outcome outcome = asked ? Outcome{IssueStatus::applied, "", asked} : find_fix(issue, facts);
  if (outcome.status != IssueStatus::applied) return outcome;
  const FixKind kind = outcome.fix->kind;
  if (options.without_fixes.contains(outcome.fix->id))
    return {IssueStatus::declined, concat("--without ", outcome.fix->id)};
  if (options.unpatched && (kind == FixKind::patch || kind == FixKind::files))
    return {IssueStatus::declined, concat("--unpatched: fix ", quote(outcome.fix->id), " changes the tree")};
  return outcome;
}

FixChoice choose_fix(const Issue& issue, const Release& release, const Facts& facts, const PlanOptions& options) {
  FixChoice choice;
  choice.issue = &issue;
  choice.decision.issue = issue.id;
  Outcome outcome = judge_issue(issue, release, facts);
  const bool is_settled_by_user = outcome.status == IssueStatus::undecided && asked_for(issue, options) != nullptr;
  if (outcome.status == IssueStatus::applied || is_settled_by_user) {
    const std::string why = is_settled_by_user ? concat("--with, though ", outcome.reason) : outcome.reason;
    outcome = answer_issue(issue, facts, options);
    outcome.reason = outcome.reason.empty() ? why : outcome.reason;
  }
  choice.decision.status = outcome.status;
  choice.decision.reason = outcome.reason;
  if (outcome.fix != nullptr) {
    choice.fix = outcome.fix;
    choice.decision.fix = outcome.fix->id;
    choice.decision.kind = outcome.fix->kind;
  }
  return choice;
}

/// Returns the issue that has this fix. Raises usage where none has.
const Issue& issue_of_fix(const Catalog& catalog, std::string_view option, const std::string& id) {
  std::vector<std::string> known;
  for (const auto& [issue_id, issue] : catalog.issues) {
    for (const Fix& fix : issue.fixes) {
      if (fix.id == id) return issue;
      known.push_back(fix.id);
    }
  }
  const std::string near = did_you_mean(id, known);
  throw Error(ErrorKind::usage, concat(option, ' ', quote(id), ": no issue has such a fix"),
              near.empty() ? "'torchpatch list fixes' shows what there is" : near);
}

/// Returns the choice on the issue that has this fix.
const FixChoice* choice_of_fix(const std::vector<FixChoice>& choices, const std::string& id) {
  return find_where(choices,
                    [&](const FixChoice& choice) { return std::ranges::count(choice.issue->fixes, id, &Fix::id) > 0; });
}

}  // namespace

void check_fix_options(const Catalog& catalog, const PlanOptions& options) {
  std::map<std::string, std::string> asked;
  for (const std::string& id : options.with_fixes) {
    const Issue& issue = issue_of_fix(catalog, "--with", id);
    const auto [known, is_new] = asked.emplace(issue.id, id);
    if (!is_new) {
      throw Error(ErrorKind::usage, concat("--with ", known->second, " and --with ", id, " are both for the issue ",
                                           quote(issue.id), ", which one fix answers"));
    }
    if (options.without_fixes.contains(id))
      throw Error(ErrorKind::usage, concat("--with ", id, " and --without ", id, " exclude each other"));
  }
  for (const std::string& id : options.without_fixes) issue_of_fix(catalog, "--without", id);
}

std::vector<FixChoice> choose_fixes(const Catalog& catalog, const Release& release, const Facts& facts,
                                    const PlanOptions& options) {
  std::vector<FixChoice> choices;
  for (const auto& [id, issue] : catalog.issues) choices.push_back(choose_fix(issue, release, facts, options));
  return choices;
}

std::vector<std::string> choice_warnings(const std::vector<FixChoice>& choices, const PlanOptions& options) {
  std::vector<std::string> warnings;
  for (const FixChoice& choice : choices)
    if (choice.decision.status == IssueStatus::undecided)
      warnings.push_back(concat("issue ", quote(choice.issue->id), " is undecided: ", choice.decision.reason));
  for (const std::string& id : options.with_fixes) {
    const FixChoice* choice = choice_of_fix(choices, id);
    if (choice && choice->decision.fix != id)
      warnings.push_back(concat("--with ", id, " makes no difference: ", choice->decision.reason));
  }
  for (const std::string& id : options.without_fixes) {
    const FixChoice* choice = choice_of_fix(choices, id);
    if (choice && choice->decision.reason != "--without " + id)
      warnings.push_back(concat("--without ", id, " makes no difference: the fix is not used here"));
  }
  return warnings;
}

}  // namespace torchpatch::plan
