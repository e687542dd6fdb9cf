// SPDX-License-Identifier: BSD-3-Clause
#include "support/resource_limit.h"

#include <algorithm>

namespace torchpatch {

void lower_limit(decltype(RLIMIT_AS) resource, rlim_t soft, rlim_t hard) {
  rlimit limit = {};
  if (getrlimit(resource, &limit) != 0) return;
  limit.rlim_cur = std::min(soft, limit.rlim_cur);
  limit.rlim_max = std::min(hard, limit.rlim_max);
  setrlimit(resource, &limit);
}

}  // namespace torchpatch
