// SPDX-License-Identifier: BSD-3-Clause
/// Worker processes: a crash or a hang in a library that reads foreign bytes ends one child, never the run
/// (design §8, reliability G12). Children are forked, so they see the parent's values and need no messages in.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace torchpatch {

struct WorkerLimits {
  std::uint64_t address_space = 4ull << 30;  ///< bytes, RLIMIT_AS; 0 = none (sanitizer builds ignore it)
  std::uint64_t data = 1ull << 30;           ///< bytes, RLIMIT_DATA: all but mapped files; 0 = none (likewise)
  std::chrono::seconds cpu{600};             ///< RLIMIT_CPU of each worker
  std::chrono::milliseconds stall{
      30'000};  ///< longest time for one item (or `start`) before the watchdog kills the worker
};

/// What a worker does with one item: returns the bytes to send to the parent. May raise Error.
using WorkerTask = std::function<std::string(std::size_t item)>;

struct WorkerJob {
  std::size_t items = 0;
  int workers = 1;
  WorkerLimits limits;
  /// Called once in each child, to open what it needs; returns its task.
  std::function<WorkerTask()> start;
  /// Called in the parent for every result, in the order of arrival.
  std::function<void(std::size_t item, std::string_view result)> on_result;
  /// Says what an item is, for errors: "reading 'torch:third_party/onnx'".
  std::function<std::string(std::size_t item)> describe;
};

/// Runs all items, each once, from a process that has one thread. After a failure no item is begun any more, and of
/// several failures that of the lowest item is raised, so that an error does not depend on timing: an Error as it was
/// raised in the worker; source where a worker died of a signal, ran out of its limits or stalled (the message says
/// at which item). Raises Interrupted (signals.h) at once. No child outlives this call.
void run_workers(const WorkerJob& job);

/// Returns the number of processors this process may use, at least 1.
int default_jobs();

}  // namespace torchpatch
