// SPDX-License-Identifier: BSD-3-Clause
#include "cli/job_options.h"

#include "support/worker_pool.h"

namespace torchpatch::cli {

namespace {
constexpr int kMaxJobs = 256;
}

void declare_jobs(OptionSet& options, int& jobs) {
  jobs = default_jobs();
  options.number("-j,--jobs", jobs, kMaxJobs, "worker processes; default: one a processor");
}

}  // namespace torchpatch::cli
