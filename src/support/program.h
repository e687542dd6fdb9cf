// SPDX-License-Identifier: BSD-3-Clause
/// run_program(): runs other programs, without a shell; run_pager(): the user's pager; our own program: its version
/// (kToolVersion), its path (own_program), and interruption by signals (check_interrupted).
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

/// Installs the handlers (once, from cli::run): the first signal is recorded for check_interrupted; another more than
/// 0.2 s later ends the process at once. Ignores SIGPIPE, so that writes fail with EPIPE, and SIGXFSZ, here and in
/// children, so that writes over a file size limit fail with EFBIG.
void install_signal_handlers();
/// Raises Interrupted if a signal has arrived.
void check_interrupted();
/// Restores default handling (in children).
void restore_signal_handlers();

/// The version of this program, CMake's project version: "0.1.0".
inline constexpr const char* kToolVersion = TORCHPATCH_VERSION;

/// Exit code of a program that is not found, as in a shell.
inline constexpr int kProgramNotFound = 127;

/// Lowers a limit of this process (in children); a lower existing limit is kept. Async-signal-safe.
void lower_limit(decltype(RLIMIT_AS) resource, rlim_t soft, rlim_t hard);

/// Limits of a program and each process it starts; 0 = none.
struct ProgramLimits {
  std::uint64_t address_space = 0;  ///< bytes, RLIMIT_AS (sanitizer builds of torchpatch set it too)
  std::chrono::seconds cpu{0};      ///< RLIMIT_CPU
  std::uint64_t file_size = 0;      ///< bytes per file that it writes, RLIMIT_FSIZE
};

struct ProgramRun {
  std::vector<std::string> argv;                                 ///< argv[0] is looked up by find_program
  std::vector<std::pair<std::string, std::string>> environment;  ///< the whole environment of the child
  std::string directory;                                         ///< working directory, or empty
  std::chrono::seconds timeout{0};                               ///< 0 = none; on expiry the process group is killed
  ProgramLimits limits = {};
  std::string input{};       ///< path of the file for its stdin, or empty: no input
  bool at_terminal = false;  ///< keeps our stdin, stderr and process group: it can prompt the user, and is not limited
  std::chrono::seconds grace{0};  ///< when interrupted: time to clean up after SIGTERM, before it is killed
  /// Called many times per second with new output on stderr, and once more at the end; a non-empty result ends the
  /// program, as a timeout does.
  std::function<std::string(std::string_view err)> watch{};
};

struct ProgramResult {
  int exit_code = 0;  ///< 128+n if it died of signal n; 127 if not found
  bool timed_out = false;
  std::string stopped{};  ///< the result of `watch` that ended it
  std::string out;        ///< the first 1 MiB
  std::string err;        ///< the last 1 MiB: errors come at the end
};

/// Runs a program to its end, in its own process group unless `at_terminal`; processes of the group that are left then
/// are killed. Raises environment if no process can be started, and Interrupted immediately; on interruption or timeout
/// the whole group is killed.
ProgramResult run_program(const ProgramRun& run);
/// Runs several in parallel, at most `parallel` at a time; results are in the order of `runs`.
std::vector<ProgramResult> run_programs(const std::vector<ProgramRun>& runs, int parallel);
/// Returns the absolute path of the running program: /proc/self/exe, or without /proc the path it was started by
/// (AT_EXECFN, getauxval(3)). Raises environment.
std::string own_program();
/// Returns the absolute path of a program in our PATH, or empty text. Relative entries of PATH are skipped; a name with
/// a slash is already a path.
std::string find_program(const std::string& name);
/// The same in `path`, directories separated by colons.
std::string find_program(const std::string& name, const std::string& path);

struct Pager {
  std::vector<std::string> argv;
  std::vector<std::pair<std::string, std::string>> environment;  ///< the whole environment
};

/// Returns the pager from the environment: PAGER, else less; nothing if PAGER is empty or "cat", or the program is not
/// found. PAGER is split at blanks, or run by /bin/sh if it contains characters special to a shell. As in git, unset
/// LESS becomes FRX (short text stays on the screen, colours pass) and unset LV becomes -c.
std::optional<Pager> find_pager(const std::map<std::string, std::string>& variables);

/// Runs the pager on our terminal with `text` as input and waits for it; quitting early is not an error. Ctrl-C goes to
/// the pager. Returns false if it could not be started, in which case nothing was shown.
bool run_pager(const Pager& pager, std::string_view text);

/// Keeps a statically linked program (TORCHPATCH_STATIC, for release archives) from loading libraries that the system
/// has for another glibc: hosts and users are looked up in files and DNS only, whatever nsswitch.conf lists (mDNS and
/// others), and OpenSSL reads no configuration, which may name providers. Call it before using either. No effect in
/// other programs.
void keep_to_own_code();

}  // namespace torchpatch
