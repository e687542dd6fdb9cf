// SPDX-License-Identifier: BSD-3-Clause
/// How much memory a compile job needs: a rule of thumb, for build.env and doctor.
#pragma once

#include <optional>

#include "model/version.h"

namespace torchpatch::emit {

/// Returns the MiB of memory and swap for one compile job. From PyTorch 1.8 on, files compiled by nvcc need twice as
/// much (pytorch#49078, #143861). No measurement stands behind the two numbers.
int mib_per_job(const std::optional<Version>& release, bool has_cuda);

}  // namespace torchpatch::emit
