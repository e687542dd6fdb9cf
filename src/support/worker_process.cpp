// SPDX-License-Identifier: BSD-3-Clause
#include "support/worker_process.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <new>
#include <utility>

#include "support/error.h"
#include "support/file.h"
#include "support/resource_limit.h"
#include "support/signals.h"
#include "support/text.h"
#include "support/worker_message.h"

namespace torchpatch {
namespace {

using Clock = std::chrono::steady_clock;

/// Results wait for company this long and up to this size, so that thousands of small ones cost few system calls.
constexpr auto kLongestWait = std::chrono::milliseconds(20);
constexpr std::size_t kFullBatch = 64 << 10;

void apply_limits(const WorkerLimits& limits) {
#ifndef TORCHPATCH_SANITIZED  // sanitizers reserve terabytes of address space for their shadow
  if (limits.address_space > 0) lower_limit(RLIMIT_AS, limits.address_space, limits.address_space);
  if (limits.data > 0) lower_limit(RLIMIT_DATA, limits.data, limits.data);
#endif
  const auto cpu = static_cast<rlim_t>(limits.cpu.count());
  lower_limit(RLIMIT_CPU, cpu,
              cpu + 1);  // the soft limit's SIGXCPU says what happened, the hard one's SIGKILL does not
  lower_limit(RLIMIT_CORE, 0, 0);
}

/// Ctrl-C and `timeout` signal the whole process group; the parent decides what ends, and kills us by SIGKILL.
void leave_stop_signals_to_parent() {
  restore_signal_handlers();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_IGN);
}

/// Sends results in batches, and says what is going on to the parent's watchdog.
class Reporter {
 public:
  Reporter(WorkerState& state, int pipe) : state_(state), pipe_(pipe) {}

  void begin(std::uint64_t item) { set_state(item); }
  void rest() { set_state(WorkerState::kIdle); }
  void finish(std::size_t item, std::string_view result) {
    rest();
    append(FrameKind::result, item, result);
    if (batch_.size() >= kFullBatch || Clock::now() - last_sent_ >= kLongestWait) send();
  }
  void fail(std::size_t item, const Error& error) {
    rest();
    append(FrameKind::error, item, encode_error(error));
    send();
  }
  void send() {
    write(batch_);
    batch_.clear();
    last_sent_ = Clock::now();
  }

 private:
  void set_state(std::uint64_t item) {
    state_.item.store(item, std::memory_order_relaxed);
    state_.steps.fetch_add(1, std::memory_order_release);
  }

  /// Large payloads are written from where they are.
  void append(FrameKind kind, std::size_t item, std::string_view payload) {
    append_frame_header(batch_, kind, item, payload.size());
    if (payload.size() < kFullBatch) {
      batch_ += payload;
    } else {
      send();
      write(payload);
    }
  }

  void write(std::string_view bytes) const { write_all(pipe_, bytes, "the pipe to the parent process"); }

  WorkerState& state_;
  int pipe_;
  std::string batch_;
  Clock::time_point last_sent_ = Clock::now();
};

std::string out_of_memory(const WorkerLimits& limits) {
  const std::uint64_t bytes = limits.address_space == 0 || limits.data == 0
                                  ? limits.address_space + limits.data  // the other, or none
                                  : std::min(limits.address_space, limits.data);
  return concat("the worker process ran out of its memory", bytes > 0 ? concat(" (", bytes >> 20, " MiB)") : "");
}

/// Runs `action`; whatever it throws becomes an Error that is sent for `item`. Returns whether it succeeded.
template <typename Action>
bool attempt(Reporter& reporter, const WorkerJob& job, std::size_t item, const Action& action) {
  const auto while_doing = [&](const std::string& what) { return what + " while " + job.describe(item); };
  try {
    action();
    return true;
  } catch (const Error& error) {
    reporter.fail(item, error);
  } catch (const std::bad_alloc&) {
    reporter.fail(item, Error(ErrorKind::source, while_doing(out_of_memory(job.limits))));
  } catch (const std::exception& error) {
    reporter.fail(item,
                  Error(ErrorKind::internal, while_doing(concat("the worker process raised '", error.what(), "'"))));
  }
  return false;
}

void do_items(const WorkerJob& job, std::atomic<std::uint64_t>& next, Reporter& reporter) {
  WorkerTask task;
  // What fails at the start fails for every item, so it counts as the first one's.
  if (!attempt(reporter, job, 0, [&] { task = job.start(); })) return;
  reporter.rest();
  for (;;) {
    const std::uint64_t item = next.fetch_add(1);
    if (item >= job.items) break;
    reporter.begin(item);
    std::string result;
    if (!attempt(reporter, job, item, [&] { result = task(item); })) return;
    reporter.finish(item, result);
  }
  reporter.send();
}

}  // namespace

void work(const WorkerJob& job, std::atomic<std::uint64_t>& next, WorkerState& state, int pipe) {
  int exit_code = 1;
  try {
    leave_stop_signals_to_parent();
    apply_limits(job.limits);
    Reporter reporter(state, pipe);
    do_items(job, next, reporter);
    exit_code = 0;
  } catch (...) {
    // Nothing can be told to a parent that does not read; it sees the exit code.
  }
  // Not exit: the destructors and buffers here are copies of the parent's.
  _exit(exit_code);
}

}  // namespace torchpatch
