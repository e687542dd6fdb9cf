// SPDX-License-Identifier: BSD-3-Clause
/// --jobs
#pragma once

#include "cli/option_set.h"

namespace torchpatch::cli {

/// Sets `jobs` to the number of processors and declares --jobs, which overrides it.
void declare_jobs(OptionSet& options, int& jobs);

}  // namespace torchpatch::cli
