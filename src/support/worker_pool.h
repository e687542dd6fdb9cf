// SPDX-License-Identifier: BSD-3-Clause
/// run_workers(): processes items in worker processes, so that a crash or hang in a library that reads foreign bytes
/// ends one child, never the run. Workers are forked, so they see the parent's values without messages; their output
/// goes through a pipe as frames (read_frame).
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/error.h"
#include "support/wire.h"

namespace torchpatch {

struct WorkerLimits {
  std::uint64_t address_space = 4ull << 30;  ///< bytes, RLIMIT_AS; 0 = none (sanitizer builds ignore it)
  std::uint64_t data = 1ull << 30;           ///< bytes, RLIMIT_DATA: all but mapped files; 0 = none (likewise)
  std::chrono::seconds cpu{600};             ///< RLIMIT_CPU of each worker
  /// Longest time without progress before the watchdog kills the worker, for `start`, an item without steps, a step
  /// (note_step), or the end.
  std::chrono::milliseconds stall{30'000};
};

/// Processes one item; returns the bytes for the parent. May raise Error.
using WorkerTask = std::function<std::string(std::size_t item)>;

struct WorkerJob {
  std::size_t items = 0;
  int workers = 1;
  WorkerLimits limits{};
  /// Called once in each worker to open what it needs; returns its task.
  std::function<WorkerTask()> start{};
  /// Called in the parent for every result, in order of arrival.
  std::function<void(std::size_t item, std::string_view result)> on_result{};
  /// Describes an item for errors: "reading 'torch:third_party/onnx'".
  std::function<std::string(std::size_t item)> describe{};
};

/// Processes every item once; the calling process must have only one thread. After a failure no new item is started; of
/// several failures, that of the lowest item is raised, so that errors do not depend on timing: the worker's Error, or
/// WorkerFailure if a worker died of a signal, exceeded its limits or stalled (the message names the item). Raises
/// Interrupted (program.h) at once. No child outlives this call.
void run_workers(const WorkerJob& job);

/// Reports progress within an item to the watchdog. For operations that are repeated within an item of any size and are
/// bounded themselves, such as reading one object: a slow disk is then not a hang, but a hang still is. Very cheap; no
/// effect outside a worker.
void note_step();

/// Calls note_step for each MiB that a loop over bytes advances, so that processing a gigabyte is not a hang.
class ByteSteps {
 public:
  /// `place`: the loop's position, from 0.
  void at(std::uint64_t place) {
    if (place < next_) return;
    note_step();
    next_ = place + kBytes;
  }

  static constexpr std::uint64_t kBytes = 1 << 20;

 private:
  std::uint64_t next_ = kBytes;
};

/// Returns the number of processors this process may use, at least 1.
int default_jobs();

/// Runs `task` for each item and returns the results in order; their type is described by FIELDS. `on_result` gets them
/// as they arrive. Raises as run_workers.
template <typename Task, typename Result = std::invoke_result_t<Task, std::size_t>>
std::vector<Result> map_in_workers(
    std::size_t items, int workers, const Task& task, std::function<std::string(std::size_t item)> describe,
    const std::type_identity_t<std::function<void(std::size_t, Result&)>>& on_result = {},
    const WorkerLimits& limits = {}) {
  std::vector<Result> results(items);
  WorkerJob job{.items = items, .workers = workers, .limits = limits, .describe = std::move(describe)};
  job.start = [&]() -> WorkerTask { return [&](std::size_t item) { return to_wire(task(item)); }; };
  job.on_result = [&](std::size_t item, std::string_view bytes) {
    results[item] = from_wire<Result>(bytes);
    if (on_result) on_result(item, results[item]);
  };
  run_workers(job);
  return results;
}

// Messages of workers: frames of a fixed header and a payload.

enum class FrameKind : std::uint32_t { result = 1, error = 2, failure = 3 };

struct Frame {
  FrameKind kind = FrameKind::result;
  std::size_t item = 0;
  std::string_view payload;  ///< points into the buffer it was read from
  std::size_t length = 0;    ///< of header and payload
};

/// Largest payload: a result contains at most a few objects (git/object.h). It bounds what a parent buffers if a worker
/// never stops sending.
inline constexpr std::size_t kMaxFrameBytes = std::size_t{1} << 30;

/// Appends a frame header to `out`; `size` bytes of payload must follow.
void append_frame_header(std::string& out, FrameKind kind, std::size_t item, std::size_t size);

/// Returns the first frame in `bytes`, or nothing if more bytes are needed. Raises source if these are not frames: a
/// worker whose memory is damaged can send anything.
std::optional<Frame> read_frame(std::string_view bytes);

/// Encode an Error as a payload and back (raises source if it is damaged).
std::string encode_error(const Error& error);
Error decode_error(std::string_view payload);

// The worker's side.

/// What a worker is doing, in memory shared with the parent.
struct WorkerState {
  static constexpr std::uint64_t kIdle = ~0ull;          ///< between items, or waiting for the parent to read
  static constexpr std::uint64_t kStarting = ~0ull - 1;  ///< in WorkerJob::start

  std::atomic<std::uint64_t> item{kStarting};
  std::atomic<std::uint64_t> steps{0};  ///< incremented by note_step and whenever `item` changes
};

/// Processes items until none are left, sends the results to `pipe`, and ends the process. `next` is the first item not
/// taken by any worker.
[[noreturn]] void work(const WorkerJob& job, std::atomic<std::uint64_t>& next, WorkerState& state, int pipe);

}  // namespace torchpatch
