// SPDX-License-Identifier: BSD-3-Clause
/// The part of build.sh and check.sh that says how a host compares with what the build asks of it.
#pragma once

#include <string>
#include <vector>

#include "model/host_requirement.h"
#include "model/manifest.h"

namespace torchpatch::record {

/// Returns POSIX sh functions, of which `host_report` prints a line a requirement: OK, WARN or FAIL, what was found,
/// who wants what, the known issue and what to do; `host_findings` the same as fields between tabs. They set
/// `components` and `default_python`, and read `selected` (components between spaces), `skipped` (names between
/// spaces), `swap_mib`, `probes` (a directory for what they compile), and the environment of the build. They change
/// nothing else, fetch nothing and run nothing that they compile.
std::string host_functions(const Manifest& manifest, const std::vector<HostRequirement>& requirements);

}  // namespace torchpatch::record
