// SPDX-License-Identifier: BSD-3-Clause
/// doctor's report for people (internal).
#pragma once

#include <string>

#include "emit/doctor/doctor_report.h"

namespace torchpatch::emit {

/// The host, one line a check in the words of check.sh, the issues by outcome, MAX_JOBS, the verdict.
std::string doctor_text(const DoctorReport& report);

}  // namespace torchpatch::emit
