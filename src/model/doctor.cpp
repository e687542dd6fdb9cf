// SPDX-License-Identifier: BSD-3-Clause
#include "model/doctor.h"

#include <algorithm>

namespace torchpatch {

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
