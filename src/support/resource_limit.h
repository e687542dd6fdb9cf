// SPDX-License-Identifier: BSD-3-Clause
/// Limits of this process, for the children that set them on themselves.
#pragma once

#include <sys/resource.h>

namespace torchpatch {

/// Lowers a limit; one that is lower already stays. Async-signal-safe.
void lower_limit(decltype(RLIMIT_AS) resource, rlim_t soft, rlim_t hard);

}  // namespace torchpatch
