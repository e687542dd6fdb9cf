// SPDX-License-Identifier: BSD-3-Clause
/// What a host has beside what it is to be (internal).
#pragma once

#include <vector>

#include "ops/doctor.h"
#include "ops/host_plan.h"

namespace torchpatch::ops {

/// Returns the checks in the order in which they are told, not yet tied to known issues.
std::vector<emit::HostCheck> check_host(const DoctorTarget& target, const Plan& plan, const HostFacts& host,
                                        int mib_per_job);

/// Returns on which side of a range a version lies.
emit::HostVerdict compare_version(const Version& version, const VersionRange& range);

}  // namespace torchpatch::ops
