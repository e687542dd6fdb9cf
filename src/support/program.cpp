// SPDX-License-Identifier: BSD-3-Clause
#include "support/program.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <memory>

#include "support/error.h"
#include "support/file.h"
#include "support/text.h"

#ifdef TORCHPATCH_STATIC
#include <nss.h>
#include <openssl/crypto.h>
#endif

namespace torchpatch {

namespace {

constexpr int kStopSignals[] = {SIGINT, SIGTERM, SIGHUP};

volatile std::sig_atomic_t g_arrived = 0;

/// Signals this soon after the first count as the same one: timeout(1) sends one to the program and another to its
/// group, and a terminal may too.
constexpr std::int64_t kOneSignalNanoseconds = 200'000'000;

std::atomic<std::int64_t> g_arrived_at = 0;

/// The first signal requests an orderly end with clean-up; a second one ends the process at once.
extern "C" void note_signal(int signal) {
  timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  const std::int64_t nanoseconds = std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  if (g_arrived == 0) {
    g_arrived_at = nanoseconds;
    g_arrived = signal;
  } else if (nanoseconds - g_arrived_at >= kOneSignalNanoseconds) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);  // delivered when this handler returns
  }
}

void set_handler(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;  // no SA_RESTART: a waiting poll must return
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

bool is_ignored(int signal) {
  struct sigaction action = {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

using Clock = std::chrono::steady_clock;

constexpr int kBySignal = 128;
constexpr std::size_t kMaxOutput = 1 << 20;
constexpr int kMaxReads = 64;

/// A pipe from a child; the parent's end does not block.
struct Pipe {
  UniqueFd read_end;
  UniqueFd write_end;
};

Pipe make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw system_error("creating a pipe");
  Pipe pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return pipe;
}

/// Strings for exec and pointers to them, allocated before the fork: a child must not allocate.
class StringArray {
 public:
  explicit StringArray(std::vector<std::string> strings) : strings_(std::move(strings)) {
    for (std::string& text : strings_) pointers_.push_back(text.data());
    pointers_.push_back(nullptr);
  }
  StringArray(const StringArray&) = delete;
  StringArray& operator=(const StringArray&) = delete;
  char* const* get() const { return pointers_.data(); }

 private:
  std::vector<std::string> strings_;
  std::vector<char*> pointers_;
};

std::vector<std::string> lines_of(const std::vector<std::pair<std::string, std::string>>& environment) {
  std::vector<std::string> lines;
  for (const auto& [name, value] : environment) lines.push_back(concat(name, "=", value));
  return lines;
}

void apply_program_limits(const ProgramLimits& limits) {
  const auto cpu = static_cast<rlim_t>(limits.cpu.count());
  if (limits.address_space > 0) lower_limit(RLIMIT_AS, limits.address_space, limits.address_space);
  if (limits.file_size > 0) lower_limit(RLIMIT_FSIZE, limits.file_size, limits.file_size);
  if (cpu > 0) lower_limit(RLIMIT_CPU, cpu, cpu + 1);  // SIGXCPU first, which explains the end, then SIGKILL
}

/// Becomes the program. Only async-signal-safe calls: it runs between fork and exec.
[[noreturn]] void become(const char* path, char* const* argv, char* const* environment, const ProgramRun& run,
                         const Pipe& out, const Pipe& err, pid_t parent) {
  if (!run.at_terminal) ::setpgid(0, 0);  // a background group could not read from the terminal
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) _exit(1);
  restore_signal_handlers();
  ::dup2(out.write_end.get(), STDOUT_FILENO);
  if (!run.at_terminal) {
    const int input = ::open(run.input.empty() ? "/dev/null" : run.input.c_str(), O_RDONLY | O_CLOEXEC);
    if (input < 0) _exit(kProgramNotFound);
    ::dup2(input, STDIN_FILENO);
    ::dup2(err.write_end.get(), STDERR_FILENO);
  }
  apply_program_limits(run.limits);
  if (run.directory.empty() || ::chdir(run.directory.c_str()) == 0) ::execve(path, argv, environment);
  _exit(kProgramNotFound);
}

/// A running program with all processes of its group; destruction kills them.
class Child {
 public:
  Child(const ProgramRun& run, const std::string& path)
      : pipes_{make_pipe(), make_pipe()}, has_group_(!run.at_terminal), grace_(run.grace), watch_(run.watch) {
    const StringArray argv(run.argv);
    const StringArray environment(lines_of(run.environment));
    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ < 0) throw system_error("starting " + quote(run.argv.front()));
    if (pid_ == 0) become(path.c_str(), argv.get(), environment.get(), run, pipes_[0], pipes_[1], parent);
    if (has_group_) ::setpgid(pid_, pid_);  // in both processes, whichever runs first
    for (Pipe& pipe : pipes_) pipe.write_end.reset();
    if (run.timeout.count() > 0) deadline_ = Clock::now() + run.timeout;
  }
  ~Child() {
    if (pid_ <= 0) return;
    if (grace_.count() > 0) let_clean_up();
    kill_group();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Appends its descriptors to poll.
  void add_to(std::vector<pollfd>& polled) const {
    for (const Pipe& pipe : pipes_)
      if (pipe.read_end) polled.push_back({pipe.read_end.get(), POLLIN, 0});
  }

  /// Reads available output and returns whether the program has ended.
  bool advance() {
    siginfo_t end = {};
    // Check before reading: what it wrote before its end is then in the pipes.
    const bool is_ended = has_ended(end);
    drain(pipes_[0].read_end,
          [&](std::string_view part) { result_.out += part.substr(0, kMaxOutput - result_.out.size()); });
    drain(pipes_[1].read_end, [&](std::string_view part) { keep_last(part); });
    if (is_ended) {
      kill_group();  // processes it left running
      if (watch_) watch_(std::exchange(unwatched_, {}));
      result_.exit_code = end.si_code == CLD_EXITED ? end.si_status : kBySignal + end.si_status;
      return true;
    }
    result_.timed_out = deadline_ && Clock::now() >= *deadline_;
    if (watch_) result_.stopped = watch_(std::exchange(unwatched_, {}));
    if (result_.timed_out || !result_.stopped.empty()) {
      kill_group();
      result_.exit_code = kBySignal + SIGKILL;
    }
    return pid_ < 0;
  }

  bool has_open_pipe() const { return pipes_[0].read_end || pipes_[1].read_end; }
  ProgramResult take_result() {
    if (result_.err.size() > kMaxOutput) result_.err.erase(0, result_.err.size() - kMaxOutput);
    return std::move(result_);
  }

 private:
  /// It is left a zombie, so that its process and group ids are not reused.
  bool has_ended(siginfo_t& end) const {
    return ::waitid(P_PID, static_cast<id_t>(pid_), &end, WEXITED | WNOHANG | WNOWAIT) == 0 && end.si_pid == pid_;
  }

  /// A full pipe would keep it from ending, so its output is read and discarded.
  void let_clean_up() {
    ::kill(pid_, SIGTERM);
    siginfo_t end = {};
    for (const Clock::time_point last = Clock::now() + grace_; !has_ended(end) && Clock::now() < last;) {
      for (Pipe& pipe : pipes_) drain(pipe.read_end, [](std::string_view) {});
      ::poll(nullptr, 0, 20);
    }
  }

  void kill_group() {
    ::kill(has_group_ ? -pid_ : pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) continue;
    pid_ = -1;
  }

  void keep_last(std::string_view part) {
    if (watch_) unwatched_ += part;
    result_.err += part;
    if (result_.err.size() > 2 * kMaxOutput) result_.err.erase(0, result_.err.size() - kMaxOutput);
  }

  /// Reads what is available, but not for long: a program that never stops writing must not block us.
  template <typename Keep>
  static void drain(UniqueFd& fd, const Keep& keep) {
    std::array<char, 65536> chunk;
    for (int i = 0; fd && i < kMaxReads; ++i) {
      const ssize_t count = ::read(fd.get(), chunk.data(), chunk.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && errno == EAGAIN) return;
      if (count <= 0) return fd.reset();
      keep(std::string_view(chunk.data(), static_cast<std::size_t>(count)));
    }
  }

  std::array<Pipe, 2> pipes_;
  pid_t pid_ = -1;
  bool has_group_;
  std::chrono::seconds grace_;
  std::optional<Clock::time_point> deadline_;
  std::function<std::string(std::string_view)> watch_;
  std::string unwatched_;  ///< stderr since the last call of watch_
  ProgramResult result_;
};

bool is_executable_file(const std::string& path) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

/// Waits for output or a short time: if a program holds no pipe, no descriptor shows its end.
void wait_for(const std::vector<std::unique_ptr<Child>>& children) {
  std::vector<pollfd> polled;
  bool is_ending = false;
  for (const auto& child : children) {
    if (child) child->add_to(polled);
    is_ending = is_ending || (child && !child->has_open_pipe());
  }
  const int milliseconds = is_ending ? 1 : 50;
  if (::poll(polled.data(), polled.size(), milliseconds) < 0 && errno != EINTR)
    throw system_error("waiting for programs");
}

/// Returns whether no character is special to a shell.
bool is_plain(std::string_view command) {
  return command.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 ./_+,:%@=-") ==
         std::string_view::npos;
}

/// Ignores a signal during its lifetime.
class Ignored {
 public:
  explicit Ignored(int signal) : signal_(signal) {
    struct sigaction ignore = {};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(signal_, &ignore, &before_);
  }
  ~Ignored() { ::sigaction(signal_, &before_, nullptr); }
  Ignored(const Ignored&) = delete;
  Ignored& operator=(const Ignored&) = delete;

 private:
  int signal_;
  struct sigaction before_ = {};
};

/// Writes until all is written or the reader is gone.
void feed(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

void install_signal_handlers() {
  for (const int signal : kStopSignals) {
    // nohup and a shell's background jobs start us with signals ignored on purpose.
    if (!is_ignored(signal)) set_handler(signal, note_signal);
  }
  set_handler(SIGPIPE, SIG_IGN);
  set_handler(SIGXFSZ, SIG_IGN);
  set_handler(SIGCHLD, SIG_DFL);  // if it were ignored, our children's exit codes would be lost
}

void check_interrupted() {
  if (g_arrived != 0) throw Interrupted(g_arrived);
}

void restore_signal_handlers() {
  for (const int signal : kStopSignals) set_handler(signal, SIG_DFL);
  set_handler(SIGPIPE, SIG_DFL);
}

void lower_limit(decltype(RLIMIT_AS) resource, rlim_t soft, rlim_t hard) {
  rlimit limit = {};
  if (getrlimit(resource, &limit) != 0) return;
  limit.rlim_cur = std::min(soft, limit.rlim_cur);
  limit.rlim_max = std::min(hard, limit.rlim_max);
  setrlimit(resource, &limit);
}

std::string own_program() {
  // Once: in another working directory a relative name would be another file.
  static const std::string path = [] {
    std::error_code failed;
    const auto link = std::filesystem::read_symlink("/proc/self/exe", failed);
    if (!failed) return link.string();
    const auto* const name = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
    const auto started = std::filesystem::canonical(name == nullptr ? "" : name, failed);
    if (failed) throw Error(ErrorKind::environment, "finding the running program: " + failed.message());
    return started.string();
  }();
  return path;
}

void keep_to_own_code() {
#ifdef TORCHPATCH_STATIC
  for (const char* database : {"passwd", "group", "services", "protocols"}) __nss_configure_lookup(database, "files");
  __nss_configure_lookup("hosts", "files dns");
  OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);
#endif
}

std::string find_program(const std::string& name) {
  const char* const path = std::getenv("PATH");
  return find_program(name, path == nullptr ? "/usr/bin:/bin" : path);
}

std::string find_program(const std::string& name, const std::string& path) {
  if (name.find('/') != std::string::npos) return is_executable_file(name) ? absolute_path(name) : std::string();
  for (const std::string& directory : split(path, ':')) {
    // An empty or relative entry would run programs from the current directory.
    std::string candidate = concat(directory, "/", name);
    if (directory.starts_with("/") && is_executable_file(candidate)) return candidate;
  }
  return {};
}

ProgramResult run_program(const ProgramRun& run) { return std::move(run_programs({run}, 1).front()); }

std::vector<ProgramResult> run_programs(const std::vector<ProgramRun>& runs, int parallel) {
  std::vector<ProgramResult> results(runs.size());
  std::vector<std::unique_ptr<Child>> children(runs.size());  // null before the start and after the end
  const auto most = static_cast<std::size_t>(std::max(1, parallel));
  std::size_t next = 0;
  std::size_t running = 0;
  while (next < runs.size() || running > 0) {
    check_interrupted();
    for (; next < runs.size() && running < most; ++next) {
      const std::string path = find_program(runs[next].argv.at(0));
      if (path.empty()) {
        results[next].exit_code = kProgramNotFound;
        results[next].err = quote(runs[next].argv[0]) + " was not found";
      } else {
        children[next] = std::make_unique<Child>(runs[next], path);
        ++running;
      }
    }
    wait_for(children);
    for (std::size_t i = 0; i < next; ++i) {
      if (!children[i] || !children[i]->advance()) continue;
      results[i] = children[i]->take_result();
      children[i].reset();
      --running;
    }
  }
  return results;
}

std::optional<Pager> find_pager(const std::map<std::string, std::string>& variables) {
  const auto named = variables.find("PAGER");
  const std::string command = named == variables.end() ? "less" : std::string(trim(named->second));
  if (command.empty() || command == "cat") return std::nullopt;
  Pager pager;
  pager.argv = is_plain(command) ? split(command, ' ') : std::vector<std::string>{"/bin/sh", "-c", command};
  std::erase(pager.argv, "");
  const auto path = variables.find("PATH");
  pager.argv[0] = find_program(pager.argv[0], path == variables.end() ? "/usr/bin:/bin" : path->second);
  if (pager.argv[0].empty()) return std::nullopt;
  std::map<std::string, std::string> environment = variables;
  environment.emplace("LESS", "FRX");
  environment.emplace("LV", "-c");
  pager.environment = {environment.begin(), environment.end()};
  return pager;
}

bool run_pager(const Pager& pager, std::string_view text) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  UniqueFd read_end(ends[0]), write_end(ends[1]);
  const StringArray argv(pager.argv), environment(lines_of(pager.environment));

  const Ignored interrupt(SIGINT), quit(SIGQUIT), broken_pipe(SIGPIPE);
  const pid_t child = ::fork();
  if (child < 0) return false;
  if (child == 0) {  // only async-signal-safe calls
    restore_signal_handlers();
    ::signal(SIGQUIT, SIG_DFL);
    ::dup2(read_end.get(), STDIN_FILENO);
    ::execve(argv.get()[0], argv.get(), environment.get());
    _exit(kProgramNotFound);
  }
  read_end.reset();
  feed(write_end.get(), text);
  write_end.reset();
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return !(WIFEXITED(status) && WEXITSTATUS(status) == kProgramNotFound);
}

}  // namespace torchpatch
