// SPDX-License-Identifier: BSD-3-Clause
/// run_program(): runs other programs, without a shell; run_pager(): the user's pager; and our own program: its version
/// (kToolVersion), its path (own_program), and the signals that interrupt it (check_interrupted).
#pragma once

#include <sys/resource.h>

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace torchpatch {

/// Thrown at a safe point after SIGINT, SIGTERM or SIGHUP. Not an Error: cli::run re-raises the signal after clean-up,
/// so that the shell sees 128+n.
class Interrupted : public std::exception {
 public:
  explicit Interrupted(int signal) : signal_(signal) {}
  int signal() const { return signal_; }
  const char* what() const noexcept override { return "interrupted"; }

 private:
  int signal_;
};

/// Installs the handlers (once, from cli::run): a first signal is noted for check_interrupted, one that comes later
/// than a fifth of a second after it ends the process at once. SIGPIPE is ignored so that writes fail with EPIPE, and
/// SIGXFSZ, here and in children, so that one over a limit of file size fails with EFBIG.
void install_signal_handlers();
/// Raises Interrupted if a signal has arrived.
void check_interrupted();
/// Restores default handling (in children).
void restore_signal_handlers();

/// The version of this program, such as "0.1.0": CMake's project version.
inline constexpr const char* kToolVersion = TORCHPATCH_VERSION;

/// Exit code of a program that is not there, as in a shell.
inline constexpr int kProgramNotFound = 127;

/// Lowers a limit of this process, as children do for themselves; one that is lower already stays. Async-signal-safe.
void lower_limit(decltype(RLIMIT_AS) resource, rlim_t soft, rlim_t hard);

/// Bounds of a program and of each process that it starts; 0 = none.
struct ProgramLimits {
  std::uint64_t address_space = 0;  ///< bytes, RLIMIT_AS (sanitizer builds of torchpatch set it too)
  std::chrono::seconds cpu{0};      ///< RLIMIT_CPU
  std::uint64_t file_size = 0;      ///< bytes of a file that it writes, RLIMIT_FSIZE
};

struct ProgramRun {
  std::vector<std::string> argv;                                 ///< argv[0] is looked up by find_program
  std::vector<std::pair<std::string, std::string>> environment;  ///< the whole environment of the child
  std::string directory;                                         ///< working directory, or empty
  std::chrono::seconds timeout{0};                               ///< 0 = none; on expiry the process group is killed
  ProgramLimits limits = {};
  std::string input{};       ///< path of the file on its stdin, or empty: nothing
  bool at_terminal = false;  ///< keeps our stdin, stderr and process group: it can ask the user, and is not limited
  std::chrono::seconds grace{0};  ///< after an interruption: SIGTERM comes first, and this long to clean up
  /// Asked many times a second, with what came on stderr since, and once more at the end; a text that is not empty ends
  /// the program as a timeout does.
  std::function<std::string(std::string_view err)> watch{};
};

struct ProgramResult {
  int exit_code = 0;  ///< 128+n if it died of signal n; 127 if it is not there
  bool timed_out = false;
  std::string stopped{};  ///< what `watch` said when it ended the program
  std::string out;        ///< the first 1 MiB
  std::string err;        ///< the last 1 MiB: what went wrong stands at the end
};

/// Runs one program to its end, in a process group of its own unless `at_terminal`; what is left of the group then is
/// killed. Raises environment where no process can be started, and Interrupted at once; then and at a
/// timeout the whole group is killed.
ProgramResult run_program(const ProgramRun& run);
/// Runs several side by side, at most `parallel` at a time; results in the order of `runs`.
std::vector<ProgramResult> run_programs(const std::vector<ProgramRun>& runs, int parallel);
/// Returns the absolute path of the running program: /proc/self/exe, without /proc what it was started by (AT_EXECFN,
/// getauxval(3)). Raises environment.
std::string own_program();
/// Returns the absolute path of a program in our own PATH, or empty text. Relative entries of PATH are passed over; a
/// name with a slash is a path already.
std::string find_program(const std::string& name);
/// The same in the directories of `path`, which are separated by colons.
std::string find_program(const std::string& name, const std::string& path);

struct Pager {
  std::vector<std::string> argv;
  std::vector<std::pair<std::string, std::string>> environment;  ///< the whole environment
};

/// Returns the pager that the environment asks for: PAGER, else less; nothing where PAGER is empty or "cat" or no
/// program of the name is there. PAGER is split into words at blanks; only one with a character that a shell would read
/// otherwise goes to /bin/sh. As git does, LESS is FRX (short text stays on the screen, colours pass) and LV is -c
/// where they are not set.
std::optional<Pager> find_pager(const std::map<std::string, std::string>& variables);

/// Runs the pager on our own terminal with `text` as its input, and waits for its end; one that quits early is no
/// error. While it runs Ctrl-C is the pager's. Returns false where it could not be started: nothing was shown then.
bool run_pager(const Pager& pager, std::string_view text);

/// Keeps a program that is linked statically (TORCHPATCH_STATIC, for release archives) from loading what the system it
/// runs on has for another glibc: names of hosts and users come from files and DNS alone, whatever nsswitch.conf names
/// (mDNS and others), and OpenSSL reads no configuration, which may name providers. Call before these are used. Does
/// nothing in any other program.
void keep_to_own_code();

}  // namespace torchpatch
