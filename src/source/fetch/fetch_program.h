// SPDX-License-Identifier: BSD-3-Clause
/// Runs git, or our own program in its place, to fetch: what is fetched and how patiently (Fetch, FetchOptions,
/// FetchOutcome), what the program writes meanwhile (ProgressReader, HttpTrace, FetchWatch), and what of that is an
/// error or a redirect (run_fetch_programs); exact commits by id and without history, with retries (run_fetches,
/// run_fetches_patiently).
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
  std::uint64_t objects = 0;  ///< that came
  std::uint64_t total = 0;    ///< that the server announced
  std::uint64_t bytes = 0;    ///< that came; git says it once a second
};

/// Commits of one URL, into one repository.
struct Fetch {
  std::string url;         ///< without url_problem
  std::string repository;  ///< a bare repository that nobody else writes to
  std::vector<ObjectId> commits;
  std::chrono::milliseconds spent{0};  ///< by earlier attempts; counts towards the total timeout
  int files_at_once = 0;               ///< 0: whole commits; else in parts that are kept, so many files each
  bool is_hint = false;                ///< a failure is no loss: it is not tried again
  bool with_history = false;           ///< branches, tags, and all that they and the commits come from
};

struct FetchTimeouts {
  std::chrono::seconds connect{30};  ///< longest time until the server is reached
  std::chrono::seconds idle{60};     ///< longest time without progress
  std::chrono::seconds total{3600};  ///< longest time for one fetch with all its attempts and the waits between them
};

/// What of the user's configuration git may use to log in; nobody prints or keeps any of it.
struct Credentials {
  std::vector<std::pair<std::string, std::string>> settings{};  ///< credential.* of git's configuration, in its order
  std::map<std::string, std::string> variables{};  ///< of the environment: what helpers, ssh and agents need
};

/// What all fetches of a run have in common.
struct FetchOptions {
  int parallel = 12;  ///< fetches side by side; more gained nothing (docs/network.md), and git daemon takes 32
  int retries = 3;    ///< further attempts where a failure may pass
  FetchTimeouts timeouts{};
  std::map<std::string, std::string> network{};  ///< proxies and certificate authorities: network_variables()
  std::string home{};                            ///< of the user, for the host keys that ssh knows; may be empty
  std::optional<Credentials> credentials{};      ///< none: nobody logs in anywhere
  std::function<void(const FetchProgress&)> on_progress{};  ///< told often of all that run together; may be empty
};

struct FetchOutcome {
  std::string reason{};         ///< why not, or empty where it worked
  bool may_pass = false;        ///< a later attempt may work: the connection was refused or broke, a timeout, 429, 5xx
  bool broke_off = false;       ///< it may, and objects had begun to come
  bool has_progressed = false;  ///< some parts came, and are kept
  std::chrono::milliseconds took{0};  ///< how long the attempt took
  std::chrono::seconds wait{0};       ///< how long the server asks to be left alone (Retry-After)
  std::string output{};               ///< what the program printed if it worked, the first 1 MiB
  std::string next_url{};             ///< where a redirect leads that may be followed, or empty
};

/// Reads git's "Receiving objects:  12% (1/8), 1.00 MiB | 2.00 MiB/s"; what a server says begins with "remote:".
class ProgressReader {
 public:
  /// Takes the next bytes of stderr, cut anywhere.
  void feed(std::string_view err);
  const FetchProgress& progress() const { return progress_; }

 private:
  void take_line(std::string_view line);

  std::string rest_;  ///< the line that has not ended yet
  FetchProgress progress_;
};

/// What git's trace of its HTTP library (GIT_TRACE_CURL) says of the last answer: git's own words on stderr give
/// neither the address of a redirect nor what a server asks of those who come too often.
class HttpTrace {
 public:
  /// Takes the next bytes of the trace, cut anywhere.
  void feed(std::string_view bytes);

  bool has_connected() const { return has_connected_; }      ///< to the server, or to a proxy
  int status() const { return status_; }                     ///< of the last answer, 0 = none came
  const std::string& location() const { return location_; }  ///< header Location of the last answer, as it came
  int retry_after() const { return retry_after_; }           ///< header Retry-After of the last answer, seconds, or 0

 private:
  void take_line(std::string_view line);
  void take_header(std::string_view header);

  std::string rest_;  ///< the line that has not ended yet
  bool has_connected_ = false;
  int status_ = 0;
  std::string location_;
  int retry_after_ = 0;
};

// Ends a fetch that has no connection, does not go on, or takes too long. It goes by what git writes: its progress,
// which comes every second as long as bytes do, whatever the transport, and its trace of HTTP. (git has no such limits
// but http.lowSpeedTime; libgit2 1.5 has none.)

class FetchWatch {
 public:
  using Clock = std::chrono::steady_clock;

  /// `spent` counts towards the total timeout. `trace`: the file that git writes its trace of HTTP to; made here,
  /// empty. Raises environment.
  FetchWatch(const std::string& url, std::chrono::milliseconds spent, const FetchTimeouts& timeouts,
             const std::string& trace);

  /// Takes what git wrote on stderr since; returns why the fetch has to end now, or empty text.
  std::string check(std::string_view err, Clock::time_point now);
  /// The trace, with all that was written of it. Raises environment.
  const HttpTrace& trace();
  const FetchProgress& progress() const { return progress_.progress(); }
  /// How long the fetch has been watched.
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
  std::string first_words_;  ///< of git, where it says that it connects
  bool has_begun_ = false;
  Clock::time_point begun_;
  Clock::time_point last_progress_;
  Clock::time_point last_look_;
};

/// Returns the errors in what git wrote, joined; in place of user names and passwords of URLs stands "***". Bytes may
/// be the server's: quote() them. Empty where git named no error.
std::string errors_in(std::string_view err);

/// Returns whether such errors tell of a connection that was refused or broke, so that another attempt may work. What a
/// server says in its own words never does.
bool tells_of_connection(std::string_view errors);

/// Returns `text` with what stands between "//" and "@" in a URL replaced by "***".
std::string hide_logins(std::string_view text);

// Where a server sends a fetch on to. git is told to follow no redirect at all; we follow those to another path of the
// same server, which is how hosts answer for repositories that were renamed.

struct Redirect {
  std::string url{};      ///< where to fetch instead, or empty
  std::string refusal{};  ///< why not there, or empty; both are empty where there was no redirect
};

/// Returns what the last answer in `trace` to a fetch from `url` means: a redirect of the first request to the same
/// scheme, host and port is a URL (without url_problem), any other is refused.
Redirect find_redirect(const std::string& url, const HttpTrace& trace);

// Programs that fetch, run under watch (FetchWatch) in surroundings of our own (GitHome), and sent on only to where a
// redirect may lead (find_redirect).

/// Returns the command line that fetches from a URL.
using CommandLine = std::function<std::vector<std::string>(const std::string& url)>;

struct FetchProgram {
  std::string url;  ///< without url_problem
  CommandLine line;
  std::string objects{};               ///< folder that git puts objects into; empty: the repository's own
  std::string input{};                 ///< path of the file on its stdin, or empty
  std::chrono::milliseconds spent{0};  ///< counts towards the total timeout
};

/// Runs the programs side by side, each once but for redirects; returns what came of each, in order.
std::vector<FetchOutcome> run_fetch_programs(std::vector<FetchProgram> programs, const FetchOptions& options);

/// Returns the beginning of a command line of git for a repository, with the settings of every fetch.
std::vector<std::string> git_line(const std::string& repository, const std::string& command);
/// Returns the line of `git fetch` as FetchWatch and the cache need it, with further options.
CommandLine git_fetch_line(const std::string& repository, const std::vector<std::string>& more,
                           const std::vector<std::string>& refspecs);

// Exact commits by id, `git fetch --depth 1 <url> <commit>`: by the git program, since libgit2 1.5 has neither timeouts
// nor shallow fetches; fetch_with_library() is for machines without git.

/// Runs the fetches side by side, each once; returns what came of each, in order. Of the configuration of the machine,
/// the user and the environment nothing has an effect but what `options` gives, nothing is asked of the user, only the
/// URL's own scheme is spoken, and a fetch that outlasts a timeout is killed with all its processes. What is fetched is
/// referenced below kFetchedReferences; it is for the reader to check every object.
std::vector<FetchOutcome> run_fetches(const std::vector<Fetch>& fetches, const FetchOptions& options);

// Fetching with libgit2 where there is no git program: torchpatch runs itself, so that a crash or a hang of the
// library is that of a process which is watched and ended as git is.

/// Name of the command of ours that does it.
inline constexpr const char* kLibraryFetchCommand = "fetch-commits";

/// What that command does: brings the commits, and references them below kFetchedReferences; each step is told to
/// `on_progress`. This process has no more than git::kMaxGitMemory from then on. Raises source with the library's
/// reason, or where the URL is none that is spoken without git (https, http, git, file); environment where the
/// repository cannot be written.
void fetch_with_library(const Fetch& fetch, const std::function<void(const std::string& line)>& on_progress);

/// Runs the fetches, then up to `options.retries` times those whose failure may pass, for the commits that have not
/// come; what an attempt that was ended left behind is removed first. A later attempt waits for back_off(), or as long
/// as the server asks for; after one that broke off among the objects it is made in parts, smaller ones where not even
/// one of these came, and any that did begins the count anew. Returns what came of each, in order. Raises environment,
/// Interrupted.
std::vector<FetchOutcome> run_fetches_patiently(const std::vector<Fetch>& fetches, const FetchOptions& options,
                                                Console& console);

/// Leaves out the commits that are in the repository already; of a history that is not known.
void leave_out_fetched(Fetch& fetch);

/// Returns how long to wait before the attempt after `failures` failed ones: 1, 2, 4 … s, at most 60 s, of which
/// `random` (0 to 1) takes away up to one half, so that many who failed together do not come back together.
std::chrono::milliseconds back_off(int failures, double random);
/// Returns how long to wait after `failures` of which the last is `outcome`: as back_off() with a random number says,
/// or as the server asks, at most 60 s.
std::chrono::milliseconds wait_after(const FetchOutcome& outcome, int failures);
/// Waits. Raises Interrupted.
void wait(std::chrono::milliseconds time);

}  // namespace torchpatch::source
