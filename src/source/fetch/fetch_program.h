// SPDX-License-Identifier: BSD-3-Clause
/// run_fetch_programs(): runs git, or our own program instead, to fetch, watches its output (ProgressReader, HttpTrace,
/// FetchWatch) and evaluates errors and redirects; requests and results (Fetch, FetchOptions, FetchOutcome); fetches of
/// exact commits without history (run_fetches), and with retries (run_fetches_patiently).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/console.h"
#include "support/digest.h"
#include "support/file.h"

namespace torchpatch::source {

struct FetchProgress {
  std::uint64_t objects = 0;  ///< received
  std::uint64_t total = 0;    ///< announced by the server
  std::uint64_t bytes = 0;    ///< received; git updates it once per second
};

/// Commits to fetch from one URL into one repository.
struct Fetch {
  std::string url;         ///< accepted by url_problem
  std::string repository;  ///< a bare repository without other writers
  std::vector<ObjectId> commits;
  std::chrono::milliseconds spent{0};  ///< by earlier attempts; counts towards the total timeout
  int files_at_once = 0;               ///< 0: whole commits; else in parts that are kept, with so many files each
  bool is_hint = false;                ///< optional: not retried after a failure
  bool with_history = false;           ///< branches, tags, and the full history of these and the commits
};

struct FetchTimeouts {
  std::chrono::seconds connect{30};  ///< until the server is reached
  std::chrono::seconds idle{60};     ///< without progress
  std::chrono::seconds total{3600};  ///< for one fetch, with all attempts and waits
};

/// The parts of the user's configuration that git may use to log in; never printed or stored.
struct Credentials {
  std::vector<std::pair<std::string, std::string>> settings{};  ///< credential.* of git's configuration, in its order
  std::map<std::string, std::string> variables{};               ///< from the environment, for helpers, ssh and agents
};

/// Options common to all fetches of a run.
struct FetchOptions {
  int parallel = 12;  ///< parallel fetches; more gained nothing (docs/network.md), and git daemon accepts 32
  int retries = 3;    ///< further attempts after temporary failures
  FetchTimeouts timeouts{};
  std::map<std::string, std::string> network{};  ///< proxies and certificate authorities: network_variables()
  std::string home{};                            ///< of the user, for the host keys that ssh knows; may be empty
  std::optional<Credentials> credentials{};      ///< none: no logins
  std::function<void(const FetchProgress&)> on_progress{};  ///< gets the sum of all fetches; may be empty
};

struct FetchOutcome {
  std::string reason{};               ///< the failure, or empty on success
  bool may_pass = false;              ///< temporary failure: connection refused or broken, timeout, 429, 5xx
  bool broke_off = false;             ///< temporary failure after objects had begun to arrive
  bool has_progressed = false;        ///< some parts arrived and are kept
  std::chrono::milliseconds took{0};  ///< duration of the attempt
  std::chrono::seconds wait{0};       ///< requested by the server (Retry-After)
  std::string output{};               ///< the program's output on success, the first 1 MiB
  std::string next_url{};             ///< target of a redirect that may be followed, or empty
};

/// Parses git's "Receiving objects:  12% (1/8), 1.00 MiB | 2.00 MiB/s"; the server's own lines begin with "remote:".
class ProgressReader {
 public:
  /// Adds the next bytes of stderr, split anywhere.
  void feed(std::string_view err);
  const FetchProgress& progress() const { return progress_; }

 private:
  void take_line(std::string_view line);

  std::string rest_;  ///< incomplete line
  FetchProgress progress_;
};

/// The last response in git's trace of its HTTP library (GIT_TRACE_CURL): git's messages on stderr contain neither the
/// target of a redirect nor a rate limit's Retry-After.
class HttpTrace {
 public:
  /// Adds the next bytes of the trace, split anywhere.
  void feed(std::string_view bytes);

  bool has_connected() const { return has_connected_; }      ///< to the server, or to a proxy
  int status() const { return status_; }                     ///< of the last response, 0 = none
  const std::string& location() const { return location_; }  ///< its Location header, unmodified
  int retry_after() const { return retry_after_; }           ///< its Retry-After header in seconds, or 0

 private:
  void take_line(std::string_view line);
  void take_header(std::string_view header);

  std::string rest_;  ///< incomplete line
  bool has_connected_ = false;
  int status_ = 0;
  std::string location_;
  int retry_after_ = 0;
};

// Ends a fetch that does not connect, stalls, or takes too long. It watches git's output: its progress, printed every
// second while bytes arrive on any transport, and its HTTP trace. (git itself only has http.lowSpeedTime; libgit2 1.5
// has no limits.)

class FetchWatch {
 public:
  using Clock = std::chrono::steady_clock;

  /// `spent` counts towards the total timeout. `trace`: the file for git's HTTP trace, created empty. Raises
  /// environment.
  FetchWatch(const std::string& url, std::chrono::milliseconds spent, const FetchTimeouts& timeouts,
             const std::string& trace);

  /// Adds new output on stderr; returns why the fetch must end now, or empty text.
  std::string check(std::string_view err, Clock::time_point now);
  /// Returns the trace so far. Raises environment.
  const HttpTrace& trace();
  const FetchProgress& progress() const { return progress_.progress(); }
  /// Returns how long the fetch has been watched.
  std::chrono::milliseconds took() const;

 private:
  bool read_trace();
  bool has_connected() const;

  std::string scheme_;
  FetchTimeouts timeouts_;
  std::chrono::milliseconds spent_;
  std::string trace_path_;
  UniqueFd trace_file_;
  HttpTrace trace_;
  ProgressReader progress_;
  std::string first_words_;  ///< output of git, which contains the line on connecting
  bool has_begun_ = false;
  Clock::time_point begun_;
  Clock::time_point last_progress_;
  Clock::time_point last_look_;
};

/// Returns the errors in git's output, joined, with user names and passwords in URLs as "***"; empty if there are none.
/// The text may be the server's: quote() it.
std::string errors_in(std::string_view err);

/// Returns whether such errors are about a connection that was refused or broke, so that a retry may succeed. A
/// server's own messages never count.
bool tells_of_connection(std::string_view errors);

/// Returns `text` with everything between "//" and "@" in URLs replaced by "***".
std::string hide_logins(std::string_view text);

// Redirects of a fetch. git must not follow any; we follow those to another path on the same server, which hosts use
// for renamed repositories.

struct Redirect {
  std::string url{};      ///< URL to fetch from instead, or empty
  std::string refusal{};  ///< why it is not followed, or empty; both empty: no redirect
};

/// Evaluates the last response in `trace` to a fetch from `url`: a redirect of the first request to the same scheme,
/// host and port becomes a URL (accepted by url_problem); any other is refused.
Redirect find_redirect(const std::string& url, const HttpTrace& trace);

// Programs that fetch, watched by FetchWatch in an isolated environment (GitHome); only allowed redirects are followed
// (find_redirect).

/// Returns the command line for fetching from a URL.
using CommandLine = std::function<std::vector<std::string>(const std::string& url)>;

struct FetchProgram {
  std::string url;  ///< accepted by url_problem
  CommandLine line;
  std::string objects{};               ///< folder that git writes objects to; empty: the repository's own
  std::string input{};                 ///< path of the file for its stdin, or empty
  std::chrono::milliseconds spent{0};  ///< counts towards the total timeout
};

/// Runs the programs in parallel, each once except for redirects; returns the outcomes in order.
std::vector<FetchOutcome> run_fetch_programs(std::vector<FetchProgram> programs, const FetchOptions& options);

/// Returns the start of a git command line for a repository, with the settings for every fetch.
std::vector<std::string> git_line(const std::string& repository, const std::string& command);
/// Returns a `git fetch` command line with the options that FetchWatch and the cache need, and `more`.
CommandLine git_fetch_line(const std::string& repository, const std::vector<std::string>& more,
                           const std::vector<std::string>& refspecs);

// Fetches of exact commits, `git fetch --depth 1 <url> <commit>`, with the git program, since libgit2 1.5 has neither
// timeouts nor shallow fetches; fetch_with_library() is for machines without git.

/// Runs the fetches in parallel, each once; returns the outcomes in order. Only the configuration in `options` has an
/// effect, not that of the machine, the user or the environment; the user is never prompted, only the URL's own scheme
/// is used, and a fetch that exceeds a timeout is killed with all its processes. The result is referenced below
/// kFetchedReferences; the reader must check every object.
std::vector<FetchOutcome> run_fetches(const std::vector<Fetch>& fetches, const FetchOptions& options);

// Fetches with libgit2 if there is no git program: torchpatch runs itself, so that a crash or hang of the library
// affects a process that is watched and ended like git.

/// Name of our command for it.
inline constexpr const char* kLibraryFetchCommand = "fetch-commits";

/// Implements that command: fetches the commits and references them below kFetchedReferences; reports each step to
/// `on_progress`. Limits this process to git::kMaxGitMemory from then on. Raises source with the library's reason, or
/// if the URL's scheme needs git (allowed: https, http, git, file); environment if the repository cannot be written.
void fetch_with_library(const Fetch& fetch, const std::function<void(const std::string& line)>& on_progress);

/// Runs the fetches, then retries those with temporary failures up to `options.retries` times, for the commits still
/// missing; remains of failed attempts are removed first. Waits for back_off(), or as long as the server requests. If
/// objects had begun to arrive, the retry is in parts, with smaller ones if not even one arrived; any arrived part
/// resets the count. Returns the outcomes in order. Raises environment, Interrupted.
std::vector<FetchOutcome> run_fetches_patiently(const std::vector<Fetch>& fetches, const FetchOptions& options,
                                                Console& console);

/// Removes the commits already in the repository from the fetch; with history that is not known.
void leave_out_fetched(Fetch& fetch);

/// Returns the wait before the next attempt after `failures` failed ones: 1, 2, 4 … s, at most 60 s, shortened by up to
/// half by `random` (0 to 1), so that clients that failed together do not retry together.
std::chrono::milliseconds back_off(int failures, double random);
/// Returns the wait after `failures`, the last being `outcome`: back_off() with a random number, or as the server
/// requests, at most 60 s.
std::chrono::milliseconds wait_after(const FetchOutcome& outcome, int failures);
/// Waits. Raises Interrupted.
void wait(std::chrono::milliseconds time);

}  // namespace torchpatch::source
