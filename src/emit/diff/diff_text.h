// SPDX-License-Identifier: BSD-3-Clause
/// How the forms of a diff word things (internal).
#pragma once

#include <string>

#include "emit/diff/diff_report.h"

namespace torchpatch::emit {

std::string diff_text(const DiffReport& report);

/// Returns the heading of a level: "pinned commits".
const char* diff_heading(DiffLevel level);

/// Returns '-' for what A alone has, '+' for what B alone has, '~' for the rest.
char diff_mark(const DiffEntry& entry);

/// Returns what a summary stands for: "40 files differ, 3 only in B".
std::string diff_counts_text(const DiffCounts& counts);

/// Returns "no difference", or "12 differences, 2 of them unexplained".
std::string diff_verdict(const DiffReport& report);

/// Returns "1.1.0 for tx2 (jetpack-3.3)".
std::string diff_target(const DiffSide& side);

}  // namespace torchpatch::emit
