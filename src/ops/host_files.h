// SPDX-License-Identifier: BSD-3-Clause
/// The part of HostFacts that stands in files (internal).
#pragma once

#include <string>

#include "model/host_facts.h"

namespace torchpatch::ops {

/// Sets os, cpu_features, memory, swap, and the tools cuda and cudnn as far as files below `root` tell.
/// `cuda_home` is tried first, as builds do; empty = none.
void read_host_files(const std::string& root, const std::string& cuda_home, HostFacts& host);

}  // namespace torchpatch::ops
