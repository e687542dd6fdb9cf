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

#include "support/file.h"
#include "support/program.h"
#include "support/text.h"

namespace torchpatch {

namespace {

struct Header {
  std::uint32_t magic;
  std::uint32_t kind;
  std::uint64_t item;
  std::uint64_t size;
};

constexpr std::uint32_t kMagic = 0x6b726f77;  // "work"

using Clock = std::chrono::steady_clock;

constexpr int kPollMilliseconds = 100;

/// Requested pipe size, so that workers can continue while the parent is busy; if it is refused they wait.
constexpr int kPipeBytes = 1 << 20;

/// Shared between parent and workers: the next item, and each worker's state, on separate cache lines.
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
  bool has_sent = false;        ///< since the last check of the watchdog
  Clock::duration still_for{};  ///< time without a step or output
};

/// Kills a worker that may still run and returns its wait status. Harmless if it is already exiting: its exit code is
/// set before its pipe closes.
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
  if (signal == SIGXCPU) return concat("the worker process exceeded its ", limits.cpu.count(), " s of CPU time");
  if (signal == SIGKILL) return "the worker process was killed, perhaps for lack of memory,";
  const char* const name = ::sigabbrev_np(signal);
  return "the worker process was killed by " + (name == nullptr ? concat("signal ", signal) : concat("SIG", name));
}

class Pool {
 public:
  explicit Pool(const WorkerJob& job)
      : job_(job), shared_(worker_count(job)), workers_(worker_count(job)), is_done_(job.items, false) {}
  ~Pool() {
    for (Worker& worker : workers_)
      if (worker.pid > 0) kill_and_reap(worker);
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  void run() {
    for (std::size_t i = 0; i < workers_.size(); ++i) start(i);
    Clock::time_point last = Clock::now();
    while (wait_for_workers()) {
      const Clock::time_point now = Clock::now();
      for (Worker& worker : workers_)
        if (worker.pid > 0) watch(worker, now - last);
      last = now;
    }
    if (failure_) std::rethrow_exception(failure_);
    if (done_count_ != job_.items)
      throw WorkerFailure(concat("the worker processes ended after ", done_count_, " of ", job_.items, " items"));
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
    ::fcntl(ends[1], F_SETPIPE_SZ, kPipeBytes);
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

  /// Waits for output of a worker, or a short time. Returns whether any worker is left.
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
    for (std::size_t i = 0; ready > 0 && i < polled_.size(); ++i)
      if (polled_[i].revents != 0) receive(*polled_workers_[i]);
    return true;
  }

  void receive(Worker& worker) {
    const ssize_t count = ::read(worker.pipe.get(), chunk_.data(), chunk_.size());
    if (count < 0 && errno == EINTR) return;
    if (count < 0) throw system_error("reading from a worker process");
    if (count == 0) return end(worker);
    worker.has_sent = true;
    worker.received.append(chunk_.data(), static_cast<std::size_t>(count));
    std::string_view rest = worker.received;
    while (const std::optional<Frame> frame = read_frame(rest)) {
      take(*frame);
      rest.remove_prefix(frame->length);
    }
    worker.received.erase(0, worker.received.size() - rest.size());
  }

  void take(const Frame& frame) {
    if (frame.item >= job_.items) throw WorkerFailure("a worker process sent a result for an unknown item");
    if (frame.kind == FrameKind::error) return fail(frame.item, decode_error(frame.payload));
    if (frame.kind == FrameKind::failure) return fail(frame.item, WorkerFailure(std::string(frame.payload)));
    if (is_done_[frame.item]) throw WorkerFailure("a worker process sent a result twice");
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

  /// Kills a worker without progress, even if it is stopped or does not exit. One that waits for us to read counts as
  /// having sent something. Only time seen by the parent counts, at most a second per check, so that nothing is late
  /// after Ctrl-Z and fg, or after suspend.
  void watch(Worker& worker, Clock::duration elapsed) {
    const std::uint64_t steps = worker.state->steps.load(std::memory_order_acquire);
    const std::uint64_t item = worker.state->item;
    const bool has_sent = std::exchange(worker.has_sent, false);
    if (steps != worker.seen_steps || has_sent) {
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
    if (item < job_.items) return fail(item, WorkerFailure(what + " while " + job_.describe(item)));
    const char* const when = item == WorkerState::kStarting ? " at its start" : " between two items or at its end";
    fail(0, WorkerFailure(what + when));
  }

  template <typename Failure>
  void fail(std::size_t item, const Failure& failure) {
    shared_.next() = job_.items;
    if (failure_ && failed_item_ <= item) return;
    failure_ = std::make_exception_ptr(failure);
    failed_item_ = item;
  }

  const WorkerJob& job_;
  SharedState shared_;
  std::vector<Worker> workers_;
  std::vector<bool> is_done_;
  std::size_t done_count_ = 0;
  std::exception_ptr failure_;
  std::size_t failed_item_ = 0;
  std::vector<char> chunk_ = std::vector<char>(256 << 10);
  std::vector<pollfd> polled_;
  std::vector<Worker*> polled_workers_;
};

WorkerState* g_own_state = nullptr;  ///< this worker's own

/// Results are batched for this long and up to this size, so that thousands of small ones cost few system calls.
constexpr auto kLongestWait = std::chrono::milliseconds(20);
constexpr std::size_t kFullBatch = 64 << 10;

void apply_limits(const WorkerLimits& limits) {
#ifndef TORCHPATCH_SANITIZED  // sanitizers reserve terabytes of address space for their shadow
  if (limits.address_space > 0) lower_limit(RLIMIT_AS, limits.address_space, limits.address_space);
  if (limits.data > 0) lower_limit(RLIMIT_DATA, limits.data, limits.data);
#endif
  const auto cpu = static_cast<rlim_t>(limits.cpu.count());
  lower_limit(RLIMIT_CPU, cpu,
              cpu + 1);  // the soft limit's SIGXCPU explains the end, the hard limit's SIGKILL does not
  lower_limit(RLIMIT_CORE, 0, 0);
}

/// Ctrl-C and `timeout` signal the whole process group; the parent decides which workers end, and kills them.
void leave_stop_signals_to_parent() {
  restore_signal_handlers();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_IGN);
}

/// Sends results in batches, and reports activity to the parent's watchdog.
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
  void fail(std::size_t item, FrameKind kind, std::string_view what) {
    rest();
    append(kind, item, what);
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

  /// Large payloads are written directly from their buffer.
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

/// Runs `action`; any exception is sent as the Error of `item`. Returns whether it succeeded.
template <typename Action>
bool attempt(Reporter& reporter, const WorkerJob& job, std::size_t item, const Action& action) {
  const auto while_doing = [&](const std::string& what) { return what + " while " + job.describe(item); };
  try {
    action();
    return true;
  } catch (const Error& error) {
    reporter.fail(item, FrameKind::error, encode_error(error));
  } catch (const std::bad_alloc&) {
    reporter.fail(item, FrameKind::failure, while_doing(out_of_memory(job.limits)));
  } catch (const std::exception& error) {
    const std::string what = while_doing(concat("the worker process raised '", error.what(), "'"));
    reporter.fail(item, FrameKind::error, encode_error(Error(ErrorKind::internal, what)));
  }
  return false;
}

void do_items(const WorkerJob& job, std::atomic<std::uint64_t>& next, Reporter& reporter) {
  WorkerTask task;
  // A failure at the start affects every item, so it counts as the first one's.
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

void append_frame_header(std::string& out, FrameKind kind, std::size_t item, std::size_t size) {
  const Header header = {kMagic, static_cast<std::uint32_t>(kind), item, size};
  out.append(reinterpret_cast<const char*>(&header), sizeof header);
}

std::optional<Frame> read_frame(std::string_view bytes) {
  Header header;
  if (bytes.size() < sizeof header) return std::nullopt;
  std::memcpy(&header, bytes.data(), sizeof header);
  const auto kind = static_cast<FrameKind>(header.kind);
  const bool is_known = kind >= FrameKind::result && kind <= FrameKind::failure;
  if (header.magic != kMagic || !is_known || header.size > kMaxFrameBytes) WireReader::refuse();
  if (bytes.size() - sizeof header < header.size) return std::nullopt;
  return Frame{kind, header.item, bytes.substr(sizeof header, header.size), sizeof header + header.size};
}

std::string encode_error(const Error& error) {
  WireWriter writer;
  writer.put(error.kind());
  writer.put(error.message());
  writer.put(error.hint());
  for (const std::string& line : error.context()) writer.put(line);
  return writer.take();
}

Error decode_error(std::string_view payload) {
  WireReader reader(payload);
  const auto kind = reader.get<ErrorKind>();
  std::string message = reader.get<std::string>(), hint = reader.get<std::string>();
  Error error(kind, std::move(message), std::move(hint));
  while (!reader.at_end()) error.add_context(reader.get<std::string>());
  return error;
}

void run_workers(const WorkerJob& job) {
  if (job.items > 0) Pool(job).run();
}

int default_jobs() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

void note_step() {
  if (g_own_state) g_own_state->steps.fetch_add(1, std::memory_order_release);
}

void work(const WorkerJob& job, std::atomic<std::uint64_t>& next, WorkerState& state, int pipe) {
  int exit_code = 1;
  try {
    leave_stop_signals_to_parent();
    apply_limits(job.limits);
    g_own_state = &state;
    Reporter reporter(state, pipe);
    do_items(job, next, reporter);
    exit_code = 0;
  } catch (...) {
    // A parent that does not read cannot be told; it sees the exit code.
  }
  // Not exit(): destructors and buffers here are copies of the parent's.
  _exit(exit_code);
}

}  // namespace torchpatch
