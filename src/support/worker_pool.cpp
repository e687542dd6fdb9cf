// SPDX-License-Identifier: BSD-3-Clause
#include "support/worker_pool.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <new>
#include <optional>
#include <vector>

#include "support/error.h"
#include "support/file.h"
#include "support/signals.h"
#include "support/text.h"
#include "support/worker_message.h"
#include "support/worker_process.h"

namespace torchpatch {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPollMilliseconds = 100;

/// What parent and workers share: the next item, and each worker's state on a cache line of its own.
class SharedState {
 public:
  explicit SharedState(std::size_t workers) : size_((workers + 1) * sizeof(Line)) {
    void* const memory = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw system_error("sharing memory with worker processes");
    lines_ = static_cast<Line*>(memory);
    for (std::size_t i = 0; i <= workers; ++i) new (&lines_[i]) Line;
  }
  ~SharedState() { ::munmap(lines_, size_); }
  SharedState(const SharedState&) = delete;
  SharedState& operator=(const SharedState&) = delete;

  std::atomic<std::uint64_t>& next() { return lines_[0].next; }
  WorkerState& worker(std::size_t index) { return lines_[index + 1].state; }

 private:
  struct alignas(64) Line {
    std::atomic<std::uint64_t> next{0};
    WorkerState state;
  };
  std::size_t size_;
  Line* lines_;
};

/// The parent's side of one worker.
struct Worker {
  pid_t pid = -1;  ///< -1 once it has been reaped
  UniqueFd pipe;
  std::string received;
  WorkerState* state = nullptr;
  std::uint64_t seen_steps = 0;
  Clock::duration still_for{};  ///< how long it has been at the same item
};

/// Ends a worker that may still run and returns its wait status. Harmless where it is ending by itself: its exit code
/// stands before its pipe closes.
int kill_and_reap(Worker& worker) {
  int status = 0;
  ::kill(worker.pid, SIGKILL);
  while (::waitpid(worker.pid, &status, 0) < 0 && errno == EINTR) continue;
  worker.pid = -1;
  worker.pipe.reset();
  return status;
}

std::string describe_death(int status, const WorkerLimits& limits) {
  if (WIFEXITED(status)) return concat("the worker process exited with code ", WEXITSTATUS(status));
  const int signal = WTERMSIG(status);
  if (signal == SIGXCPU) return concat("the worker process used up its ", limits.cpu.count(), " s of CPU time");
  if (signal == SIGKILL) return "the worker process was killed, perhaps for lack of memory,";
  const char* const name = ::sigabbrev_np(signal);
  return "the worker process died of " + (name == nullptr ? concat("signal ", signal) : concat("SIG", name));
}

class Pool {
 public:
  explicit Pool(const WorkerJob& job)
      : job_(job), shared_(worker_count(job)), workers_(worker_count(job)), is_done_(job.items, false) {}
  ~Pool() {
    for (Worker& worker : workers_) {
      if (worker.pid > 0) kill_and_reap(worker);
    }
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  void run() {
    for (std::size_t i = 0; i < workers_.size(); ++i) start(i);
    Clock::time_point last = Clock::now();
    while (wait_for_workers()) {
      const Clock::time_point now = Clock::now();
      for (Worker& worker : workers_) {
        if (worker.pid > 0) watch(worker, now - last);
      }
      last = now;
    }
    if (failure_) throw *failure_;
    if (done_count_ != job_.items) {
      throw Error(ErrorKind::source,
                  concat("the worker processes ended after ", done_count_, " of ", job_.items, " items"));
    }
  }

 private:
  static std::size_t worker_count(const WorkerJob& job) {
    return std::clamp<std::size_t>(job.workers > 0 ? static_cast<std::size_t>(job.workers) : 1, 1, job.items);
  }

  void start(std::size_t index) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw system_error("creating a pipe to a worker process");
    UniqueFd read_end(ends[0]);
    const UniqueFd write_end(ends[1]);
    const pid_t parent = ::getpid();
    const pid_t pid = ::fork();
    if (pid < 0) throw system_error("starting a worker process");
    if (pid == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (::getppid() != parent) _exit(1);
      read_end.reset();
      for (Worker& worker : workers_) worker.pipe.reset();
      work(job_, shared_.next(), shared_.worker(index), write_end.get());
    }
    Worker& worker = workers_[index];
    worker.pid = pid;
    worker.pipe = std::move(read_end);
    worker.state = &shared_.worker(index);
  }

  /// Waits until a worker has sent something or some time has passed. Returns whether any worker is left.
  bool wait_for_workers() {
    check_interrupted();
    polled_.clear();
    polled_workers_.clear();
    for (Worker& worker : workers_) {
      if (worker.pid < 0) continue;
      polled_.push_back({worker.pipe.get(), POLLIN, 0});
      polled_workers_.push_back(&worker);
    }
    if (polled_.empty()) return false;
    const int ready = ::poll(polled_.data(), polled_.size(), kPollMilliseconds);
    if (ready < 0 && errno != EINTR) throw system_error("waiting for worker processes");
    for (std::size_t i = 0; ready > 0 && i < polled_.size(); ++i) {
      if (polled_[i].revents != 0) receive(*polled_workers_[i]);
    }
    return true;
  }

  void receive(Worker& worker) {
    const ssize_t count = ::read(worker.pipe.get(), chunk_.data(), chunk_.size());
    if (count < 0 && errno == EINTR) return;
    if (count < 0) throw system_error("reading from a worker process");
    if (count == 0) return end(worker);
    worker.received.append(chunk_.data(), static_cast<std::size_t>(count));
    std::string_view rest = worker.received;
    while (const std::optional<Frame> frame = read_frame(rest)) {
      take(*frame);
      rest.remove_prefix(frame->length);
    }
    worker.received.erase(0, worker.received.size() - rest.size());
  }

  void take(const Frame& frame) {
    if (frame.item >= job_.items) throw Error(ErrorKind::source, "a worker process sent the result of no item");
    if (frame.kind == FrameKind::error) return fail(frame.item, decode_error(frame.payload));
    if (is_done_[frame.item]) throw Error(ErrorKind::source, "a worker process sent a result twice");
    is_done_[frame.item] = true;
    ++done_count_;
    if (!failure_) job_.on_result(frame.item, frame.payload);
  }

  void end(Worker& worker) {
    const std::uint64_t item = worker.state->item;
    const int status = kill_and_reap(worker);
    const bool is_clean = WIFEXITED(status) && WEXITSTATUS(status) == 0 && item == WorkerState::kIdle;
    if (!is_clean) fail_at(item, describe_death(status, job_.limits));
  }

  /// Kills a worker that has been at one item for too long. Only time that the parent saw pass counts, a second at
  /// most for each look: after Ctrl-Z and fg, or a suspended machine, nobody is late.
  void watch(Worker& worker, Clock::duration elapsed) {
    const std::uint64_t steps = worker.state->steps.load(std::memory_order_acquire);
    const std::uint64_t item = worker.state->item;
    if (steps != worker.seen_steps || item == WorkerState::kIdle) {
      worker.seen_steps = steps;
      worker.still_for = {};
      return;
    }
    worker.still_for += std::min<Clock::duration>(elapsed, std::chrono::seconds(1));
    if (worker.still_for < job_.limits.stall) return;
    kill_and_reap(worker);
    const std::chrono::duration<double> seconds = job_.limits.stall;
    fail_at(item, concat("the worker process made no progress for ", seconds.count(), " s"));
  }

  void fail_at(std::uint64_t item, const std::string& what) {
    if (item < job_.items) return fail(item, Error(ErrorKind::source, what + " while " + job_.describe(item)));
    const char* const when = item == WorkerState::kStarting ? " at its start" : " between two items";
    fail(0, Error(ErrorKind::source, what + when));
  }

  void fail(std::size_t item, Error error) {
    shared_.next() = job_.items;
    if (failure_ && failed_item_ <= item) return;
    failure_ = std::move(error);
    failed_item_ = item;
  }

  const WorkerJob& job_;
  SharedState shared_;
  std::vector<Worker> workers_;
  std::vector<bool> is_done_;
  std::size_t done_count_ = 0;
  std::optional<Error> failure_;
  std::size_t failed_item_ = 0;
  std::vector<char> chunk_ = std::vector<char>(256 << 10);
  std::vector<pollfd> polled_;
  std::vector<Worker*> polled_workers_;
};

}  // namespace

void run_workers(const WorkerJob& job) {
  if (job.items > 0) Pool(job).run();
}

int default_jobs() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

}  // namespace torchpatch
