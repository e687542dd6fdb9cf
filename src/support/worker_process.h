// SPDX-License-Identifier: BSD-3-Clause
/// The child's side of the worker pool.
#pragma once

#include <atomic>
#include <cstdint>

#include "support/worker_pool.h"

namespace torchpatch {

/// What a worker is doing, in memory that it shares with the parent.
struct WorkerState {
  static constexpr std::uint64_t kIdle = ~0ull;          ///< between items, or waiting for the parent to read
  static constexpr std::uint64_t kStarting = ~0ull - 1;  ///< in WorkerJob::start

  std::atomic<std::uint64_t> item{kStarting};
  std::atomic<std::uint64_t> steps{0};  ///< grows whenever `item` changes
};

/// Does items until there are none left, sends what they give to `pipe`, and ends the process. `next` is the first item
/// that no worker has taken.
[[noreturn]] void work(const WorkerJob& job, std::atomic<std::uint64_t>& next, WorkerState& state, int pipe);

}  // namespace torchpatch
