// SPDX-License-Identifier: BSD-3-Clause
/// The checks of build.sh that compile, link or import something, run for doctor.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/doctor.h"
#include "model/host_requirement.h"
#include "model/manifest.h"

namespace torchpatch::trees {

/// Returns a check for each requirement that doctor does not judge by facts: what the compiler and the kernel make of
/// the machine, flags, headers, imports, libraries. Runs the very lines that build.sh has, with the tree's build.env,
/// in `variables`; what they compile lies in a temporary directory and is not run. Raises environment where no shell
/// can be started or its answer cannot be read.
std::vector<HostCheck> probe_host(const Manifest& manifest, const std::vector<HostRequirement>& requirements,
                                  const std::map<std::string, std::string>& variables);

}  // namespace torchpatch::trees
