// SPDX-License-Identifier: BSD-3-Clause
/// What doctor found on a host, as text and JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/doctor.h"
#include "model/issue.h"
#include "report/show.h"

namespace torchpatch::report {

std::string doctor_report(const DoctorReport& report, Format format);

// doctor's report for people.

/// The host, one line a check in the words of check.sh, the issues by outcome, MAX_JOBS, the verdict.
std::string doctor_text(const DoctorReport& report);

}  // namespace torchpatch::report
