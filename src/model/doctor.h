// SPDX-License-Identifier: BSD-3-Clause
/// What was read from the machine that is to build. Nothing is guessed: what could not be read is absent.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/issue.h"
#include "model/version.h"
#include "support/fields.h"
#include "support/json_fields.h"

namespace torchpatch {

/// A tool or library that a build needs.
struct HostTool {
  std::optional<Version> version;
  bool is_missing = false;  ///< known not to be there; without it and without a version it is unknown
  std::string origin{};     ///< where it was found, or why nothing is known
};
FIELDS(HostTool, version, ("missing", self.is_missing), ("origin", self.origin, kNullIfNothing))

struct HostFacts {
  std::string arch;  ///< of its programs: armv7l for a 32-bit system on a 64-bit kernel; empty = unknown
  std::string os;    ///< "ubuntu-18.04", as images name it; empty = unknown
  std::vector<std::string> cpu_features;  ///< as /proc/cpuinfo names them
  std::optional<std::int64_t> processors, memory_mib, swap_mib;
  std::optional<std::int64_t> disk_mib;  ///< free where the build would be
  /// glibc, gcc, cmake, ninja, python, cuda, cudnn and, by the names of releases, packages of Python.
  std::map<std::string, HostTool> tools;

  /// Returns a tool, or an unknown one.
  HostTool tool(const std::string& name) const {
    const auto found = tools.find(name);
    return found == tools.end() ? HostTool{} : found->second;
  }
};
FIELDS(HostFacts, ("arch", self.arch, kNullIfNothing), ("os", self.os, kNullIfNothing), cpu_features, processors,
       memory_mib, swap_mib, disk_mib, tools)

// What doctor found on a host.

enum class HostVerdict { ok, too_old, too_new, too_little, differs, missing, unknown };
template <>
inline constexpr auto kNamesOf<HostVerdict> = std::to_array<Named<HostVerdict>>({{HostVerdict::ok, "ok"},
                                                                                 {HostVerdict::too_old, "too_old"},
                                                                                 {HostVerdict::too_new, "too_new"},
                                                                                 {HostVerdict::too_little,
                                                                                  "too_little"},
                                                                                 {HostVerdict::differs, "differs"},
                                                                                 {HostVerdict::missing, "missing"},
                                                                                 {HostVerdict::unknown, "unknown"}});
/// Returns "ok", "too_old", …
inline const char* host_verdict_name(HostVerdict verdict) { return name_of(verdict); }

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
FIELDS(HostCheck, name, ("found", self.found, kNullIfNothing), bound, source, verdict, fails,
       ("issue", self.issue, kNullIfNothing), ("shows", self.shows, kNullIfNothing),
       ("advice", self.advice, kNullIfNothing))

enum class IssueOutcome {
  fails,     ///< the build fails, or its results are wrong, unless someone acts
  by_hand,   ///< to be known or acted upon; the build need not fail
  handled,   ///< the prepared tree, build.env or build.sh answers it
  undecided  ///< a fact is unknown
};
template <>
inline constexpr auto kNamesOf<IssueOutcome> = std::to_array<Named<IssueOutcome>>({{IssueOutcome::fails, "fails"},
                                                                                   {IssueOutcome::by_hand, "by_hand"},
                                                                                   {IssueOutcome::handled, "handled"},
                                                                                   {IssueOutcome::undecided,
                                                                                    "undecided"}});
inline const char* issue_outcome_name(IssueOutcome outcome) { return name_of(outcome); }

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
FIELDS(HostIssue, id, title, severity, outcome, reason, ("shows", self.shows, kNullIfNothing),
       ("fix", self.fix, kNullIfNothing),
       ("kind", derived([&] { return self.fix.empty() ? std::nullopt : std::optional(self.kind); })),
       ("summary", self.summary, kNullIfNothing))

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
/// Returns how many things will fail: checks, and issues that no failing check is about.
std::size_t count_failures(const DoctorReport& report);
FIELDS(DoctorReport, ("schema", SchemaVersion{}), ("ok", derived([&] { return count_failures(self) == 0; })), release,
       ("genuine", derived([&] { return !self.stand_in; })), ("board", self.board, kNullIfNothing),
       ("image", self.image, kNullIfNothing), host, checks, issues, max_jobs, mib_per_job, notes)

/// Returns whether a check names this issue.
bool is_told_by_check(const DoctorReport& report, const HostIssue& issue);

/// Returns the MiB of memory and swap for one compile job. From PyTorch 1.8 on, files compiled by nvcc need twice as
/// much (pytorch#49078, #143861). No measurement stands behind the two numbers.
int mib_per_job(const std::optional<Version>& release, bool has_cuda);

}  // namespace torchpatch
