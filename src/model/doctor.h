// SPDX-License-Identifier: BSD-3-Clause
/// What doctor, build.sh and check.sh know of the machine that builds (HostFacts), what a build requires of it
/// (HostRequirement), and what comes of that (DoctorReport). Nothing is guessed: what could not be read is absent.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/issue.h"
#include "model/repository_path.h"
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
  /// glibc, gcc, cmake, ninja, python, cuda, cudnn, nvcc-gcc and, by the names of releases, packages of Python.
  std::map<std::string, HostTool> tools;
  std::optional<Version>
      newest_nvcc_gcc;  ///< that its CUDA accepts; known only if nvcc refuses the one that it would use

  /// Returns a tool, or an unknown one.
  HostTool tool(const std::string& name) const {
    const auto found = tools.find(name);
    return found == tools.end() ? HostTool{} : found->second;
  }
};
FIELDS(HostFacts, ("arch", self.arch, kNullIfNothing), ("os", self.os, kNullIfNothing), cpu_features, processors,
       memory_mib, swap_mib, disk_mib, tools, newest_nvcc_gcc)

// What a build requires of the machine that it runs on, as build.sh and check.sh judge it without torchpatch.

/// How a requirement is judged.
enum class HostProbe {
  same,     ///< what is found must be `wanted`
  version,  ///< of a tool: by its steps
  package,  ///< of Python, which may be missing: by its steps
  size,     ///< at least `wanted` MiB
  cpu,      ///< what the compiler makes must run on a CPU with the flags `wanted`
  import,   ///< Python must be able to import `wanted`
  library,  ///< where the variable of this name is on, a program with its library must link
  nvcc,     ///< nvcc must accept the gcc that it would use: CUDAHOSTCXX, else the variable `wanted`, else its default
  works     ///< a probe of this name must work
};
NAMES(HostProbe, same, version, package, size, cpu, import, library, nvcc, works)

/// What holds of a tool from one version on, up to the next step.
struct HostStep {
  std::string from;     ///< a version
  std::string verdict;  ///< "ok", "too new", "has a known issue"
  bool fails = false;   ///< else it may fail
  std::string issue;    ///< or empty
  std::string advice;

  /// Whether all but `from` is the same.
  bool says_the_same(const HostStep& other) const {
    return verdict == other.verdict && fails == other.fails && issue == other.issue && advice == other.advice;
  }
};

struct HostRequirement {
  HostProbe probe = HostProbe::works;
  std::string name;                      ///< which --skip takes
  std::string wanted;                    ///< what the probe compares with
  std::string source;                    ///< "release 1.1.0": who wants it
  bool fails = true;                     ///< else what is not met only warns
  std::optional<Component> component{};  ///< whose build alone needs it
  std::string issue{};                   ///< the known issue that it is, or empty
  std::string advice{};                  ///< what to do about it
  std::vector<HostStep> steps{};         ///< by version, the first at 0
  /// What installs it: "apt:NAME", "pip:NAME" and, for the same from Debian, "deb:NAME", a blank between; or empty.
  std::string install{};
};

/// A library that a build takes from the system if a variable turns it on.
struct Library {
  std::string_view variable;
  std::string_view packages;  ///< that have it, as Debian and Ubuntu call them; empty: none that will do
  std::string_view issue;     ///< the known issue of a build without it, or empty
};

inline constexpr auto kLibraries = std::to_array<Library>({{"BLAS", "libopenblas-dev", ""},
                                                           {"USE_FFMPEG", "libavcodec-dev", ""},
                                                           {"USE_GFLAGS", "libgflags-dev", ""},
                                                           {"USE_GLOG", "libgoogle-glog-dev", ""},
                                                           {"USE_LEVELDB", "libleveldb-dev libsnappy-dev", ""},
                                                           {"USE_LMDB", "liblmdb-dev", ""},
                                                           {"USE_MKLDNN_ACL", "", "onednn-acl"},
                                                           {"USE_MPI", "libopenmpi-dev", "mpi-before-configure"},
                                                           {"USE_NUMA", "libnuma-dev", ""},
                                                           {"USE_OPENCV", "libopencv-dev", ""},
                                                           {"USE_REDIS", "libhiredis-dev", ""},
                                                           {"USE_ROCKSDB", "librocksdb-dev", ""},
                                                           {"USE_ZMQ", "libzmq3-dev", ""}});

// What doctor found on a host.

enum class HostVerdict { ok, too_old, too_new, too_little, differs, missing, unknown };
NAMES(HostVerdict, ok, too_old, too_new, too_little, differs, missing, unknown)

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
NAMES(IssueOutcome, fails, by_hand, handled, undecided)

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

/// A command that installs what is missing.
struct InstallCommand {
  std::string user;  ///< "root", or "user": whoever builds
  std::string command;
};
FIELDS(InstallCommand, user, command)

struct DoctorReport {
  std::string release;
  std::optional<std::string> stand_in;  ///< set where this is not upstream's code
  std::string board, image;             ///< empty: the host is the target
  HostFacts host;
  std::vector<HostCheck> checks;
  std::vector<HostIssue> issues;         ///< by outcome and id
  std::optional<std::int64_t> max_jobs;  ///< absent where memory or processors are unknown
  int mib_per_job = 0;
  std::vector<InstallCommand> install;  ///< of a prepared tree: at most one for each user, root's first
  std::vector<std::string> notes;
};
/// Returns whether a check names this issue.
inline bool is_told_by_check(const DoctorReport& report, const HostIssue& issue) {
  return std::ranges::any_of(report.checks, [&](const HostCheck& check) { return check.issue == issue.id; });
}
/// Returns how many things will fail: checks, and issues that no failing check is about.
inline std::size_t count_failures(const DoctorReport& report) {
  const auto checks = std::ranges::count_if(report.checks, &HostCheck::fails);
  const auto issues = std::ranges::count_if(report.issues, [&](const HostIssue& issue) {
    return issue.outcome == IssueOutcome::fails && !is_told_by_check(report, issue);
  });
  return static_cast<std::size_t>(checks + issues);
}
FIELDS(DoctorReport, ("schema", SchemaVersion{}), ("ok", derived([&] { return count_failures(self) == 0; })), release,
       ("genuine", derived([&] { return !self.stand_in; })), ("board", self.board, kNullIfNothing),
       ("image", self.image, kNullIfNothing), host, checks, issues, max_jobs, mib_per_job, install, notes)

/// Returns the MiB of memory and swap for one compile job. From PyTorch 1.8 on, files compiled by nvcc need twice as
/// much (pytorch#49078, #143861). No measurement stands behind the two numbers.
inline int mib_per_job(const std::optional<Version>& release, bool has_cuda) {
  return has_cuda && release && *release >= *Version::parse("1.8") ? 4096 : 2048;
}

}  // namespace torchpatch
