// SPDX-License-Identifier: BSD-3-Clause
#include "ops/host_issues.h"

#include <algorithm>
#include <set>

#include "support/text.h"

namespace torchpatch::ops {
namespace {

using emit::HostCheck;
using emit::HostIssue;
using emit::HostVerdict;
using emit::IssueOutcome;
using plan::FixChoice;

/// Facts that can make a build fail on one host and not on another of its arch.
const std::set<std::string> kTools = {"cmake", "cuda", "cudnn", "gcc", "glibc", "memory_mib", "python"};
const std::set<std::string> kRead = {"arch",  "bits",       "cmake", "cuda",   "cudnn", "gcc",
                                     "glibc", "memory_mib", "os",    "python", "gpu"};

bool is_about(const Issue& issue, const std::set<std::string>& facts) {
  const std::vector<Clause>& clauses = issue.when.clauses;
  return std::any_of(clauses.begin(), clauses.end(),
                     [&](const Clause& clause) { return facts.count(clause.fact) > 0; });
}

/// No fact is about a package of Python; the id of its issue begins with its name: numpy-2 (docs/formats.md).
bool is_named_after(const Issue& issue, const std::string& tool) { return starts_with(issue.id, tool + "-"); }

bool is_package(const HostCheck& check) {
  return known_facts().count(check.name) == 0 && check.name != "memory" && check.name != "disk";
}

/// Returns the check that alone decides an issue, or null: how much memory is enough depends on swap and jobs; of a
/// package the condition knows nothing.
const HostCheck* deciding_check(const Issue& issue, const std::vector<HostCheck>& checks) {
  const auto found = std::find_if(checks.begin(), checks.end(), [&](const HostCheck& check) {
    return (check.name == "memory" && is_about(issue, {"memory_mib"})) ||
           (is_package(check) && is_named_after(issue, check.name));
  });
  return found == checks.end() ? nullptr : &*found;
}

IssueOutcome outcome_of(const FixChoice& choice) {
  const IssueDecision& decision = choice.decision;
  if (decision.status == IssueStatus::undecided) return IssueOutcome::undecided;
  if (decision.status == IssueStatus::applied && decision.kind != FixKind::advice) return IssueOutcome::handled;
  const std::string& severity = choice.issue->severity;
  const bool is_grave = severity == "build-failure" || severity == "silent-wrong-results";
  return is_grave && is_about(*choice.issue, kTools) ? IssueOutcome::fails : IssueOutcome::by_hand;
}

const Fix* fix_of(const Issue& issue, const std::string& id) {
  const auto found = std::find_if(issue.fixes.begin(), issue.fixes.end(), [&](const Fix& fix) { return fix.id == id; });
  return found == issue.fixes.end() ? nullptr : &*found;
}

HostIssue describe(const FixChoice& choice) {
  const Issue& issue = *choice.issue;
  HostIssue out{issue.id, issue.title, issue.severity, outcome_of(choice), choice.decision.reason, {}, {}, {}, {}};
  if (!issue.symptoms.empty()) out.shows = issue.symptoms.front();
  out.fix = choice.decision.fix;
  out.kind = choice.decision.kind;
  if (const Fix* fix = fix_of(issue, out.fix)) out.summary = fix->summary;
  return out;
}

bool concerns_host(const FixChoice& choice, const std::vector<HostCheck>& checks) {
  if (choice.decision.status == IssueStatus::not_affected) return false;
  if (const HostCheck* check = deciding_check(*choice.issue, checks)) {
    return check->verdict == HostVerdict::too_new || check->verdict == HostVerdict::too_little ||
           check->verdict == HostVerdict::unknown;
  }
  return choice.decision.status == IssueStatus::undecided || is_about(*choice.issue, kRead);
}

/// Returns the gravest issue that applies with a clause on what is checked, or null.
const HostIssue* applying_issue(const HostCheck& check, const std::vector<FixChoice>& choices,
                                const std::vector<HostIssue>& issues) {
  const std::string fact = check.name == "memory" ? "memory_mib" : check.name;
  for (const HostIssue& issue : issues) {  // by outcome
    const auto choice =
        std::find_if(choices.begin(), choices.end(), [&](const FixChoice& it) { return it.issue->id == issue.id; });
    if (issue.outcome != IssueOutcome::undecided && is_about(*choice->issue, {fact})) return &issue;
  }
  return nullptr;
}

/// Returns the issue that is named after a package that is too new, or after the glibc that a board lacks: then one of
/// machines that differ.
const Issue* namesake(const HostCheck& check, const std::vector<FixChoice>& choices, const Version& release) {
  const bool is_glibc = check.is_target && check.name == "glibc";
  if (check.verdict != HostVerdict::too_new || !(is_package(check) || is_glibc)) return nullptr;
  const auto found = std::find_if(choices.begin(), choices.end(), [&](const FixChoice& choice) {
    return is_named_after(*choice.issue, check.name) && affects(*choice.issue, release) &&
           (!is_glibc || is_about(*choice.issue, {"cross"}));
  });
  return found == choices.end() ? nullptr : found->issue;
}

void name_issue(const std::vector<FixChoice>& choices, const std::vector<HostIssue>& issues, const Version& release,
                HostCheck& check) {
  if (const Issue* issue = namesake(check, choices, release)) {
    check.issue = issue->id;
    check.shows = issue->symptoms.front();
    return;
  }
  const HostIssue* issue = check.is_target ? nullptr : applying_issue(check, choices, issues);
  if (issue == nullptr) return;
  check.issue = issue->id;
  check.shows = issue->shows;
  const bool is_handled = issue->outcome == IssueOutcome::handled;  // and so is every other: this is the gravest
  if (is_handled && check.verdict == HostVerdict::too_new && check.name != "python") {
    check.fails = false;
    check.advice = concat("nothing in a prepared tree: the ", fix_kind_name(issue->kind), " ", issue->fix,
                          " answers what is known");
  } else if (issue->kind == FixKind::advice && !issue->summary.empty()) {
    check.advice = issue->summary;
  }
}

}  // namespace

std::vector<HostIssue> issues_on_host(const std::vector<FixChoice>& choices, const std::vector<HostCheck>& checks) {
  std::vector<HostIssue> issues;
  for (const FixChoice& choice : choices) {
    if (concerns_host(choice, checks)) issues.push_back(describe(choice));
  }
  std::stable_sort(issues.begin(), issues.end(),
                   [](const HostIssue& left, const HostIssue& right) { return left.outcome < right.outcome; });
  return issues;
}

void name_issues(const std::vector<FixChoice>& choices, const std::vector<HostIssue>& issues, const Version& release,
                 std::vector<HostCheck>& checks) {
  for (HostCheck& check : checks) {
    const bool is_wrong = check.verdict != HostVerdict::ok && check.verdict != HostVerdict::unknown;
    if (is_wrong && check.verdict != HostVerdict::missing && check.verdict != HostVerdict::differs) {
      name_issue(choices, issues, release, check);
    }
  }
}

}  // namespace torchpatch::ops
