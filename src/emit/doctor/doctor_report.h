// SPDX-License-Identifier: BSD-3-Clause
/// What doctor found on a host, as text and JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "emit/run/reports.h"
#include "model/host_facts.h"
#include "model/issue.h"

namespace torchpatch::emit {

enum class HostVerdict { ok, too_old, too_new, too_little, differs, missing, unknown };
/// Returns "ok", "too_old", …
const char* host_verdict_name(HostVerdict verdict);

/// Something that the host has, and what it is to be.
struct HostCheck {
  std::string name;    ///< a fact, a package of Python, "memory" or "disk"
  std::string found;   ///< empty where it is missing or unknown
  std::string bound;   ///< "<11", "2.7, 3.5, 3.6, 3.7"
  std::string source;  ///< who says so: "release 1.1.0", "image jetpack-3.3"
  HostVerdict verdict = HostVerdict::ok;
  bool fails = false;      ///< something will fail; else the verdict is a warning
  bool is_target = false;  ///< the bound is the board's, where the wheel runs, not that of the build
  std::string issue{};     ///< the known issue that it is, or empty
  std::string shows{};     ///< how that shows in a log
  std::string advice{};    ///< what to do; empty where it is ok
};

enum class IssueOutcome {
  fails,     ///< the build fails, or its results are wrong, unless someone acts
  by_hand,   ///< to be known or acted upon; the build need not fail
  handled,   ///< the prepared tree, build.env or build.sh answers it
  undecided  ///< a fact is unknown
};
const char* issue_outcome_name(IssueOutcome outcome);

/// A known issue that what was read from the host decides.
struct HostIssue {
  std::string id, title, severity;
  IssueOutcome outcome = IssueOutcome::undecided;
  std::string reason;
  std::string shows;  ///< its most telling symptom
  std::string fix;    ///< the fix that answers it, or empty
  FixKind kind = FixKind::advice;
  std::string summary;  ///< of that fix
};

struct DoctorReport {
  std::string release;
  std::optional<std::string> stand_in;  ///< set where this is not upstream's code
  std::string board, image;             ///< empty: the host is the target
  HostFacts host;
  std::vector<HostCheck> checks;
  std::vector<HostIssue> issues;         ///< by outcome and id
  std::optional<std::int64_t> max_jobs;  ///< absent where memory or processors are unknown
  int mib_per_job = 0;
  std::vector<std::string> notes;
};

/// Returns whether a check names this issue.
bool is_told_by_check(const DoctorReport& report, const HostIssue& issue);
/// Returns how many things will fail: checks, and issues that no failing check is about.
std::size_t count_failures(const DoctorReport& report);

std::string doctor_report(const DoctorReport& report, Format format);

}  // namespace torchpatch::emit
