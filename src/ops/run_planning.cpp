// SPDX-License-Identifier: BSD-3-Clause
#include "ops/run_planning.h"

#include "support/worker_pool.h"

namespace torchpatch::ops {

std::vector<source::LookupResult> run_planning(std::size_t items, const std::function<std::string(std::size_t)>& task,
                                               int jobs) {
  std::vector<source::LookupResult> results(items);
  WorkerJob job;
  job.items = items;
  job.workers = jobs;
  job.start = [&]() -> WorkerTask { return task; };
  job.on_result = [&](std::size_t item, std::string_view bytes) { results[item].bytes = bytes; };
  job.describe = [](std::size_t) { return std::string("planning for the boards of a release"); };
  run_workers(job);
  return results;
}

}  // namespace torchpatch::ops
