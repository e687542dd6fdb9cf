// SPDX-License-Identifier: BSD-3-Clause
/// What was read from the machine that is to build. Nothing is guessed: what could not be read is absent.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/version.h"

namespace torchpatch {

/// A tool or library that a build needs.
struct HostTool {
  std::optional<Version> version;
  bool is_missing = false;  ///< known not to be there; without it and without a version it is unknown
  std::string origin{};     ///< where it was found, or why nothing is known
};

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

}  // namespace torchpatch
