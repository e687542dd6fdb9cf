// SPDX-License-Identifier: BSD-3-Clause
/// diff: what two prepared trees, manifests or plans do not have in common, and what explains it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/diff.h"
#include "report/show.h"
#include "support/object_id.h"

namespace torchpatch::report {

std::string diff_report(const DiffReport& report, Format format);

/// Returns the report as CommonMark.
std::string diff_markdown(const DiffReport& report);

// How the forms of a diff word things.

std::string diff_text(const DiffReport& report);

/// Returns its name in JSON: "request", …, "override", …
const char* diff_level_name(DiffLevel level);
/// Returns how many entries nothing explains; they stand first.
std::size_t count_unexplained(const DiffReport& report);

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

}  // namespace torchpatch::report
