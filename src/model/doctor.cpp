// SPDX-License-Identifier: BSD-3-Clause
#include "model/doctor.h"

#include <algorithm>

namespace torchpatch {

const char* host_verdict_name(HostVerdict verdict) {
  switch (verdict) {
    case HostVerdict::ok:
      return "ok";
    case HostVerdict::too_old:
      return "too_old";
    case HostVerdict::too_new:
      return "too_new";
    case HostVerdict::too_little:
      return "too_little";
    case HostVerdict::differs:
      return "differs";
    case HostVerdict::missing:
      return "missing";
    case HostVerdict::unknown:
      return "unknown";
  }
  return "";
}

const char* issue_outcome_name(IssueOutcome outcome) {
  switch (outcome) {
    case IssueOutcome::fails:
      return "fails";
    case IssueOutcome::by_hand:
      return "by_hand";
    case IssueOutcome::handled:
      return "handled";
    case IssueOutcome::undecided:
      return "undecided";
  }
  return "";
}

bool is_told_by_check(const DoctorReport& report, const HostIssue& issue) {
  return std::any_of(report.checks.begin(), report.checks.end(),
                     [&](const HostCheck& check) { return check.issue == issue.id; });
}

std::size_t count_failures(const DoctorReport& report) {
  const auto checks =
      std::count_if(report.checks.begin(), report.checks.end(), [](const HostCheck& check) { return check.fails; });
  const auto issues = std::count_if(report.issues.begin(), report.issues.end(), [&](const HostIssue& issue) {
    return issue.outcome == IssueOutcome::fails && !is_told_by_check(report, issue);
  });
  return static_cast<std::size_t>(checks + issues);
}

int mib_per_job(const std::optional<Version>& release, bool has_cuda) {
  return has_cuda && release && *release >= *Version::parse("1.8") ? 4096 : 2048;
}

}  // namespace torchpatch
