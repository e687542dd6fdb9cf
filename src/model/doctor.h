// SPDX-License-Identifier: BSD-3-Clause
/// What doctor, build.sh and check.sh know of the build machine (HostFacts), what a build requires of it
/// (HostRequirement), and the result (DoctorReport). Nothing is guessed: what could not be read is absent.
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
  bool is_missing = false;  ///< known to be missing; false without a version: unknown
  std::string origin{};     ///< where it was found, or why it is unknown
};
FIELDS(HostTool, version, ("missing", self.is_missing), ("origin", self.origin, kNullIfNothing))

struct HostFacts {
  std::string arch;  ///< of its userland: armv7l for a 32-bit system on a 64-bit kernel; empty = unknown
  std::string os;    ///< "ubuntu-18.04", as in images; empty = unknown
  std::vector<std::string> cpu_features;  ///< as /proc/cpuinfo names them
  std::optional<std::int64_t> processors, memory_mib, swap_mib;
  std::optional<std::int64_t> disk_mib;  ///< free space in the build directory's file system
  /// glibc, gcc, cmake, ninja, python, cuda, cudnn, nvcc-gcc, and Python packages by the names that releases use.
  std::map<std::string, HostTool> tools;
  std::optional<Version>
      newest_nvcc_gcc;  ///< that its CUDA accepts; known only if nvcc refuses the one that it would use

  /// Returns the tool, or an unknown one.
  HostTool tool(const std::string& name) const {
    const auto found = tools.find(name);
    return found == tools.end() ? HostTool{} : found->second;
  }
};
FIELDS(HostFacts, ("arch", self.arch, kNullIfNothing), ("os", self.os, kNullIfNothing), cpu_features, processors,
       memory_mib, swap_mib, disk_mib, tools, newest_nvcc_gcc)

// What a build requires of its machine, as build.sh and check.sh check it without torchpatch.

/// How a requirement is checked.
enum class HostProbe {
  same,     ///< the value found must be `wanted`
  version,  ///< a tool's version is looked up in the steps
  package,  ///< a Python package, which may be missing, is looked up in the steps
  size,     ///< at least `wanted` MiB
  cpu,      ///< compiled code must run on a CPU with the flags `wanted`
  import,   ///< Python must be able to import `wanted`
  library,  ///< if the variable of this name is on, a program must link against its library
  nvcc,     ///< nvcc must accept the gcc it would use: CUDAHOSTCXX, else the variable `wanted`, else its default
  works     ///< the probe of this name must succeed
};
NAMES(HostProbe, same, version, package, size, cpu, import, library, nvcc, works)

/// The verdict on a tool from one version up to the next step.
struct HostStep {
  std::string from;     ///< a version
  std::string verdict;  ///< "ok", "too new", "has a known issue"
  bool fails = false;   ///< false: it may fail
  std::string issue;    ///< or empty
  std::string advice;

  /// Returns whether everything but `from` is equal.
  bool says_the_same(const HostStep& other) const {
    return verdict == other.verdict && fails == other.fails && issue == other.issue && advice == other.advice;
  }
};

struct HostRequirement {
  HostProbe probe = HostProbe::works;
  std::string name;                      ///< for --skip
  std::string wanted;                    ///< for the probe to compare with
  std::string source;                    ///< what requires it: "release 1.1.0"
  bool fails = true;                     ///< false: only warn
  std::optional<Component> component{};  ///< only its build needs it
  std::string issue{};                   ///< the related known issue, or empty
  std::string advice{};                  ///< what to do about it
  std::vector<HostStep> steps{};         ///< by version, the first at 0
  /// What installs it, separated by blanks: "apt:NAME", "pip:NAME", "deb:NAME" (Debian's package of that); or empty.
  std::string install{};
};

/// A system library that a build uses if a variable is on.
struct Library {
  std::string_view variable;
  std::string_view packages;  ///< of Debian and Ubuntu with it; empty: none is suitable
  std::string_view issue;     ///< the known issue of builds without it, or empty
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

// doctor.

enum class HostVerdict { ok, too_old, too_new, too_little, differs, missing, unknown };
NAMES(HostVerdict, ok, too_old, too_new, too_little, differs, missing, unknown)

/// A property of the host, and what it should be.
struct HostCheck {
  std::string name;    ///< a fact, a Python package, "memory" or "disk"
  std::string found;   ///< empty if missing or unknown
  std::string bound;   ///< "<11", "2.7, 3.5, 3.6, 3.7"
  std::string source;  ///< what sets the bound: "release 1.1.0", "image jetpack-3.3"
  HostVerdict verdict = HostVerdict::ok;
  bool fails = false;      ///< something will fail; false: the verdict is a warning
  bool is_target = false;  ///< the bound is for the board, where the wheel runs, not for the build
  std::string issue{};     ///< the related known issue, or empty
  std::string shows{};     ///< how it appears in a log
  std::string advice{};    ///< what to do; empty if ok
};
FIELDS(HostCheck, name, ("found", self.found, kNullIfNothing), bound, source, verdict, fails,
       ("issue", self.issue, kNullIfNothing), ("shows", self.shows, kNullIfNothing),
       ("advice", self.advice, kNullIfNothing))

enum class IssueOutcome {
  fails,     ///< the build fails, or gives wrong results, unless someone acts
  by_hand,   ///< to be aware of or act on; the build need not fail
  handled,   ///< fixed by the prepared tree, build.env or build.sh
  undecided  ///< a fact is unknown
};
NAMES(IssueOutcome, fails, by_hand, handled, undecided)

/// A known issue that the facts of the host decide.
struct HostIssue {
  std::string id, title, severity;
  IssueOutcome outcome = IssueOutcome::undecided;
  std::string reason;
  std::string shows;  ///< its most distinctive symptom
  std::string fix;    ///< the fix that resolves it, or empty
  FixKind kind = FixKind::advice;
  std::string summary;  ///< of that fix
};
FIELDS(HostIssue, id, title, severity, outcome, reason, ("shows", self.shows, kNullIfNothing),
       ("fix", self.fix, kNullIfNothing),
       ("kind", derived([&] { return self.fix.empty() ? std::nullopt : std::optional(self.kind); })),
       ("summary", self.summary, kNullIfNothing))

/// A command that installs what is missing.
struct InstallCommand {
  std::string user;  ///< "root", or "user": the account that builds
  std::string command;
};
FIELDS(InstallCommand, user, command)

struct DoctorReport {
  std::string release;
  std::optional<std::string> stand_in;  ///< set if this is not upstream's code
  std::string board, image;             ///< empty: the host is the target
  HostFacts host;
  std::vector<HostCheck> checks;
  std::vector<HostIssue> issues;         ///< by outcome and id
  std::optional<std::int64_t> max_jobs;  ///< absent if memory or processors are unknown
  int mib_per_job = 0;
  std::vector<InstallCommand> install;  ///< for a prepared tree: at most one per user, root's first
  std::vector<std::string> notes;
};
/// Returns whether a check names this issue.
inline bool is_told_by_check(const DoctorReport& report, const HostIssue& issue) {
  return std::ranges::any_of(report.checks, [&](const HostCheck& check) { return check.issue == issue.id; });
}
/// Returns the number of things that will fail: checks, and issues without a failing check.
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
/// much (pytorch#49078, #143861). The two numbers are estimates, not measured.
inline int mib_per_job(const std::optional<Version>& release, bool has_cuda) {
  return has_cuda && release && *release >= *Version::parse("1.8") ? 4096 : 2048;
}

}  // namespace torchpatch
