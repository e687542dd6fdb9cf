// SPDX-License-Identifier: BSD-3-Clause
/// Reads what doctor judges: files below a root, and a few programs that say their versions. Changes nothing.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "model/doctor.h"

namespace torchpatch::trees {

/// Where to read.
struct HostPlaces {
  std::string root;       ///< etc/os-release, proc/ and usr/ are read below it: "/", or a system that is mounted
  std::string directory;  ///< whose free space counts
  /// The environment of the programs. PATH says where they are, PYTHON which Python builds, CUDA_HOME where CUDA is.
  std::map<std::string, std::string> variables;
  std::vector<std::string> packages;  ///< of Python, whose versions are asked for
  std::chrono::seconds patience{20};  ///< with each program
};

/// Returns what could be read; a program that is missing, fails, or takes too long leaves its fact unknown.
/// Raises environment only where no process can be started at all.
HostFacts read_host(const HostPlaces& places);

/// Returns the system below a root, "ubuntu-18.04" of ID and VERSION_ID, os-release(5), or empty text.
std::string read_os(const std::string& root);

/// Returns the first version in a text ("cmake version 3.25.1" → 3.25.1), without what follows its numbers
/// ("59.5.0.post1" → 59.5.0), or nothing.
std::optional<Version> first_version(std::string_view text);

}  // namespace torchpatch::trees
