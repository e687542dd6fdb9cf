// SPDX-License-Identifier: BSD-3-Clause
/// Which known issues what was read from a host decides (internal).
#pragma once

#include <string>
#include <vector>

#include "emit/doctor/doctor_report.h"
#include "plan/fix_choice.h"

namespace torchpatch::ops {

/// Returns the issues that apply, or may, with a clause on something that was read, by outcome and id. Those that an
/// `ok` check rules out (enough memory; a package of Python that is old enough) are not among them.
std::vector<emit::HostIssue> issues_on_host(const std::vector<plan::FixChoice>& choices,
                                            const std::vector<emit::HostCheck>& checks);

/// Sets of each check that is not `ok` the issue it is, how that shows and what to do. A tool that is newer than its
/// bound fails nothing where the prepared tree answers every issue of it that applies.
void name_issues(const std::vector<plan::FixChoice>& choices, const std::vector<emit::HostIssue>& issues,
                 const Version& release, std::vector<emit::HostCheck>& checks);

}  // namespace torchpatch::ops
