// SPDX-License-Identifier: BSD-3-Clause
#include "support/worker_pool.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <vector>

#include "support/catch.h"
#include "support/digest.h"
#include "support/error.h"
#include "support/file.h"
#include "support/program.h"
#include "support/text.h"

using namespace torchpatch;

namespace {

WorkerJob job_of(std::size_t items, int workers, WorkerTask task) {
  WorkerJob job;
  job.items = items;
  job.workers = workers;
  job.start = [task] { return task; };
  job.on_result = [](std::size_t, std::string_view) {};
  job.describe = [](std::size_t item) { return concat("doing item ", item); };
  return job;
}

/// Runs a job that must fail and returns its error.
Error error_of(const WorkerJob& job) {
  try {
    run_workers(job);
  } catch (const Error& error) {
    return error;
  }
  FAIL("no error was raised");
  throw std::logic_error("unreachable");
}

bool has_children() { return ::waitpid(-1, nullptr, WNOHANG) != -1 || errno != ECHILD; }

[[noreturn]] void hang() {
  for (;;) ::pause();
}

}  // namespace

TEST_CASE("run_workers: gives every item's result once") {
  const int workers = GENERATE(1, 2, 7);
  std::vector<int> seen(500, 0);
  WorkerJob job = job_of(seen.size(), workers, [](std::size_t item) { return concat("result ", item); });
  job.on_result = [&](std::size_t item, std::string_view result) {
    CHECK(result == concat("result ", item));
    ++seen[item];
  };
  run_workers(job);
  CHECK(seen == std::vector<int>(500, 1));
  CHECK_FALSE(has_children());
}

TEST_CASE("run_workers: does nothing for no items") {
  WorkerJob job = job_of(0, 4, [](std::size_t) -> std::string { throw std::logic_error("never"); });
  run_workers(job);
  CHECK_FALSE(has_children());
}

TEST_CASE("run_workers: carries empty and large results") {
  const std::vector<std::size_t> sizes = {0, 1, 65535, 65536, 65537, 0, 30'000'000, 5};
  std::size_t checked = 0;
  WorkerJob job = job_of(sizes.size(), 2,
                         [&](std::size_t item) { return std::string(sizes[item], static_cast<char>('a' + item)); });
  job.on_result = [&](std::size_t item, std::string_view result) {
    CHECK(result.size() == sizes[item]);
    CHECK(result.find_first_not_of(static_cast<char>('a' + item)) == std::string_view::npos);
    ++checked;
  };
  run_workers(job);
  CHECK(checked == sizes.size());
}

TEST_CASE("run_workers: an Error arrives as it was raised") {
  const Error error = error_of(job_of(100, 3, [](std::size_t item) -> std::string {
    if (item < 40) return "";
    Error raised(ErrorKind::unsafe, concat("item ", item, " is bad"), "mend it");
    raised.add_context("inner");
    raised.add_context("outer");
    throw raised;
  }));
  CHECK(error.kind() == ErrorKind::unsafe);
  CHECK(error.message() == "item 40 is bad");  // the lowest of those that fail, whatever the timing
  CHECK(error.hint() == "mend it");
  CHECK(error.context() == std::vector<std::string>{"inner", "outer"});
  CHECK_FALSE(has_children());
}

TEST_CASE("run_workers: reports the lowest failing item even where a higher one fails first") {
  const Error error = error_of(job_of(2, 2, [](std::size_t item) -> std::string {
    if (item == 0) ::usleep(300'000);
    throw Error(ErrorKind::source, concat("item ", item));
  }));
  CHECK(error.message() == "item 0");
}

TEST_CASE("run_workers: no worker begins an item after a failure") {
  const TempDir directory;
  const Error error = error_of(job_of(1000, 2, [&](std::size_t item) -> std::string {
    if (item == 3) throw Error(ErrorKind::source, "enough");
    write_file_atomically(concat(directory.path(), "/", item), "");
    ::usleep(5000);
    return "";
  }));
  CHECK(error.message() == "enough");
  CHECK(list_directory(directory.path()).size() < 500);
}

TEST_CASE("run_workers: an error at the start of workers is raised") {
  WorkerJob job = job_of(5, 2, nullptr);
  job.start = []() -> WorkerTask { throw Error(ErrorKind::environment, "cannot open"); };
  CHECK(error_of(job).message() == "cannot open");
}

TEST_CASE("run_workers: a foreign exception is an internal error") {
  const Error error = error_of(job_of(1, 1, [](std::size_t) -> std::string { throw std::out_of_range("oops"); }));
  CHECK(error.kind() == ErrorKind::internal);
  CHECK(error.message() == "the worker process raised 'oops' while doing item 0");
}

#ifndef TORCHPATCH_SANITIZED  // sanitizers answer signals and huge allocations themselves

TEST_CASE("run_workers: a crash is a source error that names the item") {
  const Error error = error_of(job_of(50, 2, [](std::size_t item) -> std::string {
    if (item == 17) {
      ::signal(SIGSEGV, SIG_DFL);  // without the test program's own handler
      ::raise(SIGSEGV);
    }
    return "";
  }));
  CHECK(error.kind() == ErrorKind::source);
  CHECK(error.message() == "the worker process was killed by SIGSEGV while doing item 17");
  CHECK_FALSE(has_children());
}

TEST_CASE("run_workers: the memory limit of a worker is a source error") {
  WorkerJob job = job_of(1, 1, [](std::size_t) { return std::string(std::size_t{1} << 30, 'x'); });
  SECTION("of its address space") { job.limits.address_space = 512ull << 20; }
  SECTION("of its data") { job.limits.data = 512ull << 20; }
  const Error error = error_of(job);
  CHECK(error.kind() == ErrorKind::source);
  CHECK(error.message() == "the worker process ran out of its memory (512 MiB) while doing item 0");
}

#endif

TEST_CASE("run_workers: the CPU limit of a worker is a source error") {
  WorkerJob job = job_of(1, 1, [](std::size_t) -> std::string {
    volatile bool forever = true;
    while (forever) continue;
    return "";
  });
  job.limits.cpu = std::chrono::seconds(1);
  const Error error = error_of(job);
  CHECK(error.kind() == ErrorKind::source);
  CHECK(error.message() == "the worker process exceeded its 1 s of CPU time while doing item 0");
}

TEST_CASE("run_workers: a worker that ends by itself is a source error") {
  const Error error = error_of(job_of(3, 1, [](std::size_t item) -> std::string {
    if (item == 1) _exit(0);
    return "";
  }));
  CHECK(error.message() == "the worker process exited with code 0 while doing item 1");
}

TEST_CASE("run_workers: a killed worker is a source error") {
  const Error error = error_of(job_of(1, 1, [](std::size_t) -> std::string {
    ::kill(::getpid(), SIGKILL);
    return "";
  }));
  CHECK(error.message() == "the worker process was killed, perhaps for lack of memory, while doing item 0");
}

TEST_CASE("run_workers: the watchdog ends a hang, also where a grandchild holds the pipe") {
  const bool with_grandchild = GENERATE(false, true);
  const TempDir directory;
  const std::string pid_file = directory.path() + "/pid";
  WorkerJob job = job_of(4, 2, [&](std::size_t item) -> std::string {
    if (item != 2) return "";
    const pid_t child = with_grandchild ? ::fork() : 0;
    if (child > 0) write_file_atomically(pid_file, std::to_string(child));
    hang();
  });
  job.limits.stall = std::chrono::milliseconds(300);
  const Error error = error_of(job);
  CHECK(error.kind() == ErrorKind::source);
  CHECK(error.message() == "the worker process made no progress for 0.3 s while doing item 2");
  CHECK_FALSE(has_children());
  if (with_grandchild) ::kill(static_cast<pid_t>(*parse_decimal(read_file(pid_file))), SIGKILL);
}

TEST_CASE("run_workers: a hang at the start is ended too") {
  WorkerJob job = job_of(4, 1, nullptr);
  job.start = []() -> WorkerTask { hang(); };
  job.limits.stall = std::chrono::milliseconds(300);
  CHECK(error_of(job).message() == "the worker process made no progress for 0.3 s at its start");
}

TEST_CASE("run_workers: a worker that hangs or is stopped behind its last item is ended") {
  const bool is_stopped = GENERATE(false, true);
  struct Hanging {
    explicit Hanging(bool stopped) : is_stopped(stopped) {}
    bool is_stopped;
    ~Hanging() {
      if (is_stopped) ::raise(SIGSTOP);
      hang();
    }
  };
  WorkerJob job = job_of(4, 2, nullptr);
  job.start = [&]() -> WorkerTask {
    return [closed_last = std::make_shared<Hanging>(is_stopped)](std::size_t) { return std::string(); };
  };
  job.limits.stall = std::chrono::milliseconds(300);
  const Error error = error_of(job);
  CHECK(error.kind() == ErrorKind::source);
  CHECK(error.message() == "the worker process made no progress for 0.3 s between two items or at its end");
  CHECK_FALSE(has_children());
}

TEST_CASE("run_workers: an item of many steps takes its time, and a hang within it is ended") {
  const bool hangs = GENERATE(false, true);
  WorkerJob job = job_of(2, 2, [&](std::size_t item) -> std::string {
    for (int step = 0; step < 20; ++step) {
      ::usleep(50'000);
      note_step();
    }
    if (hangs && item == 1) hang();
    return "done";
  });
  job.limits.stall = std::chrono::milliseconds(500);
  std::size_t results = 0;
  job.on_result = [&](std::size_t, std::string_view) { ++results; };
  if (hangs) {
    CHECK(error_of(job).message() == "the worker process made no progress for 0.5 s while doing item 1");
  } else {
    run_workers(job);
    CHECK(results == 2);
  }
  note_step();  // outside of a worker: nothing
}

TEST_CASE("ByteSteps: each MiB is a step, however far a loop goes at once") {
  void* const memory = ::mmap(nullptr, sizeof(WorkerState), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  WorkerState* const state = new (memory) WorkerState;
  const auto steps_of = [&](const std::function<void()>& action) {
    state->steps = 0;
    std::atomic<std::uint64_t> next = 0;
    WorkerJob job = job_of(1, 1, [&](std::size_t) {
      action();
      return std::string();
    });
    const UniqueFd pipe(::open("/dev/null", O_WRONLY));
    const pid_t child = ::fork();
    if (child == 0) work(job, next, *state, pipe.get());
    ::waitpid(child, nullptr, 0);
    return state->steps.load();
  };
  const std::uint64_t none = steps_of([] {});
  const std::string bytes(std::size_t{64} << 20, 'x');
  CHECK(steps_of([&] {
          ByteSteps steps;
          for (std::uint64_t place = 0; place < bytes.size(); place += 2) steps.at(place);
        }) == none + 63);
  CHECK(steps_of([&] {
          ByteSteps steps;
          for (std::uint64_t place = 0; place < bytes.size(); place += 10 << 20) steps.at(place);
        }) == none + 6);
  CHECK(steps_of([&] { sha256(bytes); }) == none + 63);
  ::munmap(memory, sizeof(WorkerState));
}

TEST_CASE("run_workers: a slow receiver is no stall") {
  WorkerJob job = job_of(3, 1, [](std::size_t) { return std::string(1 << 20, 'x'); });
  job.limits.stall = std::chrono::milliseconds(150);
  std::size_t results = 0;
  job.on_result = [&](std::size_t, std::string_view) {
    ::usleep(200'000);
    ++results;
  };
  run_workers(job);
  CHECK(results == 3);
}

TEST_CASE("run_workers: what on_result raises ends the workers") {
  WorkerJob job = job_of(1000, 2, [](std::size_t item) -> std::string {
    if (item > 10) hang();
    return std::string(100'000, 'x');
  });
  job.on_result = [](std::size_t, std::string_view) { throw Error(ErrorKind::environment, "disk full"); };
  CHECK(error_of(job).message() == "disk full");
  CHECK_FALSE(has_children());
}

TEST_CASE("run_workers: an interruption ends at once and leaves no worker") {
  // In a process of its own, for the signal stays noted.
  const TempDir directory;
  const pid_t pid = ::fork();
  if (pid == 0) {
    install_signal_handlers();
    WorkerJob job = job_of(4, 2, [&](std::size_t item) -> std::string {
      write_file_atomically(concat(directory.path(), "/", item), std::to_string(::getpid()));
      if (item == 1) ::kill(::getppid(), SIGTERM);
      hang();
    });
    int code = 1;
    try {
      run_workers(job);
    } catch (const Interrupted& interrupted) {
      code = interrupted.signal() == SIGTERM && !has_children() ? 42 : 2;
    } catch (...) {
      code = 3;
    }
    _exit(code);
  }
  int status = 0;
  REQUIRE(::waitpid(pid, &status, 0) == pid);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 42);
  for (const std::string& name : list_directory(directory.path())) {
    const auto worker = static_cast<pid_t>(*parse_decimal(read_file(directory.path() + "/" + name)));
    CHECK(::kill(worker, 0) == -1);
  }
}

TEST_CASE("run_workers: workers die with their parent") {
  const TempDir directory;
  const std::string pid_file = directory.path() + "/pid";
  const pid_t pid = ::fork();
  if (pid == 0) {
    run_workers(job_of(1, 1, [&](std::size_t) -> std::string {
      write_file_atomically(pid_file, std::to_string(::getpid()));
      hang();
    }));
    _exit(0);
  }
  while (!file_exists(pid_file)) ::usleep(1000);
  const auto worker = static_cast<pid_t>(*parse_decimal(read_file(pid_file)));
  ::kill(pid, SIGKILL);
  REQUIRE(::waitpid(pid, nullptr, 0) == pid);
  const auto is_alive = [&] {
    try {
      // An orphan that nobody reaps stays as a zombie.
      return read_file(concat("/proc/", worker, "/stat")).find(") Z ") == std::string::npos;
    } catch (const Error&) {
      return false;
    }
  };
  for (int i = 0; i < 5000 && is_alive(); ++i) ::usleep(1000);
  CHECK_FALSE(is_alive());
}

TEST_CASE("run_workers: stop signals to the group are left to the parent") {
  std::size_t results = 0;
  WorkerJob job = job_of(20, 2, [](std::size_t) -> std::string {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::raise(signal);
    return "";
  });
  job.on_result = [&](std::size_t, std::string_view) { ++results; };
  run_workers(job);
  CHECK(results == 20);
}

TEST_CASE("run_workers: the result of a slow item does not wait for the next one") {
  const TempDir directory;
  const std::string arrived = directory.path() + "/arrived";
  WorkerJob job = job_of(2, 1, [&](std::size_t item) -> std::string {
    ::usleep(30'000);
    while (item == 1 && !file_exists(arrived)) ::usleep(1000);
    return "";
  });
  job.limits.stall = std::chrono::seconds(5);
  job.on_result = [&](std::size_t item, std::string_view) {
    if (item == 0) write_file_atomically(arrived, "");
  };
  run_workers(job);
  CHECK(file_exists(arrived));
}

TEST_CASE("run_workers: thousands of small items cost little") {
  std::size_t bytes = 0;
  WorkerJob job = job_of(20'000, 2, [](std::size_t) { return std::string(60, 'x'); });
  job.on_result = [&](std::size_t, std::string_view result) { bytes += result.size(); };
  const auto begin = std::chrono::steady_clock::now();
  run_workers(job);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  CHECK(bytes == 1'200'000);
  INFO(seconds.count() << " s");
  CHECK(seconds.count() < 2.0);  // a few milliseconds on a quiet machine; one write an item would cost far more
}

TEST_CASE("read_frame: refuses a size that no answer has, and waits for no such bytes") {
  std::string frame;
  append_frame_header(frame, FrameKind::result, 0, kMaxFrameBytes);
  CHECK_FALSE(read_frame(frame));
  frame.clear();
  append_frame_header(frame, FrameKind::result, 0, kMaxFrameBytes + 1);
  try {
    read_frame(frame);
    FAIL("no error was raised");
  } catch (const Error& error) {
    CHECK(error.message() == "a worker process sent a damaged message");
  }
}

TEST_CASE("default_jobs: is at least one") { CHECK(default_jobs() >= 1); }
