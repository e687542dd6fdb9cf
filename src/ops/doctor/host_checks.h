// SPDX-License-Identifier: BSD-3-Clause
/// What a host has beside what it is to be (internal).
#pragma once

#include <string>
#include <vector>

#include "model/doctor.h"
#include "ops/doctor/doctor.h"
#include "plan/fix_choice.h"

namespace torchpatch::ops {

/// Returns the checks in the order in which they are told, not yet tied to known issues.
std::vector<HostCheck> check_host(const DoctorTarget& target, const Plan& plan, const HostFacts& host, int mib_per_job);

/// Returns on which side of a range a version lies.
HostVerdict compare_version(const Version& version, const VersionRange& range);

// Which known issues what was read from a host decides.

/// Returns the issues that apply, or may, with a clause on something that was read, by outcome and id. Those that an
/// `ok` check rules out (enough memory; a package of Python that is old enough) are not among them.
std::vector<HostIssue> issues_on_host(const std::vector<plan::FixChoice>& choices,
                                      const std::vector<HostCheck>& checks);

/// Sets of each check that is not `ok` the issue it is, how that shows and what to do. A tool that is newer than its
/// bound fails nothing where the prepared tree answers every issue of it that applies.
void name_issues(const std::vector<plan::FixChoice>& choices, const std::vector<HostIssue>& issues,
                 const Version& release, std::vector<HostCheck>& checks);

}  // namespace torchpatch::ops
