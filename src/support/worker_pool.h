// SPDX-License-Identifier: BSD-3-Clause
/// run_workers(): does items in worker processes, so that a crash or a hang in a library that reads foreign bytes ends
/// one child, never the run. Children are forked: they see the parent's values and need no messages in; what they send
/// out through a pipe are frames (read_frame).
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
  /// Longest time without progress before the watchdog kills the worker: for `start`, an item without steps, a step
  /// (note_step), or the end.
  std::chrono::milliseconds stall{30'000};
};

/// What a worker does with one item: returns the bytes to send to the parent. May raise Error.
using WorkerTask = std::function<std::string(std::size_t item)>;

struct WorkerJob {
  std::size_t items = 0;
  int workers = 1;
  WorkerLimits limits{};
  /// Called once in each child, to open what it needs; returns its task.
  std::function<WorkerTask()> start{};
  /// Called in the parent for every result, in the order of arrival.
  std::function<void(std::size_t item, std::string_view result)> on_result{};
  /// Says what an item is, for errors: "reading 'torch:third_party/onnx'".
  std::function<std::string(std::size_t item)> describe{};
};

/// Runs all items, each once, from a process that has one thread. After a failure no item is begun any more, and of
/// several failures that of the lowest item is raised, so that an error does not depend on timing: an Error as it was
/// raised in the worker; WorkerFailure if a worker died of a signal, ran out of its limits or stalled (the message has
/// the item). Raises Interrupted (program.h) at once. No child outlives this call.
void run_workers(const WorkerJob& job);

/// Tells the watchdog that an item goes on. For what is done many times in an item of any size and has bounds of its
/// own, such as reading one object: a slow disk is then no hang, and a hang is still one. Costs next to nothing; does
/// nothing outside of a worker.
void note_step();

/// Makes a step of each MiB that a loop over bytes gets on by: to go through a gigabyte is no hang.
class ByteSteps {
 public:
  /// `place`: how far the loop has come, from 0 on.
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

/// Runs `task` for each item, and returns what it gives for each, in order: values that FIELDS describes, which
/// `on_result` sees as they arrive. Raises as run_workers.
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

// What workers send: frames of a fixed header and a payload.

enum class FrameKind : std::uint32_t { result = 1, error = 2, failure = 3 };

struct Frame {
  FrameKind kind = FrameKind::result;
  std::size_t item = 0;
  std::string_view payload;  ///< into the buffer it was read from
  std::size_t length = 0;    ///< of header and payload
};

/// Largest payload: an answer has at most a few objects (git/object.h) in it. A parent keeps no more of what a worker
/// sends without end.
inline constexpr std::size_t kMaxFrameBytes = std::size_t{1} << 30;

/// Appends the header of a frame to `out`; `size` bytes of payload must follow it.
void append_frame_header(std::string& out, FrameKind kind, std::size_t item, std::size_t size);

/// Returns the frame at the front of `bytes`, or nothing where more bytes are needed first.
/// Raises source if these are no frame: a worker whose memory is damaged can send anything.
std::optional<Frame> read_frame(std::string_view bytes);

/// Returns an Error as a payload, and the Error that a payload stands for (raises source if it is damaged).
std::string encode_error(const Error& error);
Error decode_error(std::string_view payload);

// The child's side of the worker pool.

/// What a worker is doing, in memory that it shares with the parent.
struct WorkerState {
  static constexpr std::uint64_t kIdle = ~0ull;          ///< between items, or waiting for the parent to read
  static constexpr std::uint64_t kStarting = ~0ull - 1;  ///< in WorkerJob::start

  std::atomic<std::uint64_t> item{kStarting};
  std::atomic<std::uint64_t> steps{0};  ///< grows whenever `item` changes, and with note_step
};

/// Does items until there are none left, sends what they give to `pipe`, and ends the process. `next` is the first item
/// that no worker has taken.
[[noreturn]] void work(const WorkerJob& job, std::atomic<std::uint64_t>& next, WorkerState& state, int pipe);

}  // namespace torchpatch
