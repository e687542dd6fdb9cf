// SPDX-License-Identifier: BSD-3-Clause
/// What git and its helpers say on stderr when a fetch failed, made into a reason.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "source/fetch/fetch.h"
#include "source/fetch/fetch_watch.h"

namespace torchpatch::source {

/// Returns the errors in what git wrote, joined; in place of user names and passwords of URLs stands "***". Bytes may
/// be the server's: quote() them. Empty where git named no error.
std::string errors_in(std::string_view err);

/// Returns whether such errors tell of a connection that was refused or broke, so that another attempt may work. What a
/// server says in its own words never does.
bool tells_of_connection(std::string_view errors);

/// Returns `text` with what stands between "//" and "@" in a URL replaced by "***".
std::string hide_logins(std::string_view text);

// Where a server sends a fetch on to. git is told to follow no redirect at all; we follow those to another path of the
// same server, which is how hosts answer for repositories that were renamed (reliability §3.3 21).

struct Redirect {
  std::string url{};      ///< where to fetch instead, or empty
  std::string refusal{};  ///< why not there, or empty; both are empty where there was no redirect
};

/// Returns what the last answer in `trace` to a fetch from `url` means: a redirect of the first request to the same
/// scheme, host and port is a URL (without url_problem), any other is refused.
Redirect find_redirect(const std::string& url, const HttpTrace& trace);

// Programs that fetch, run under watch (FetchWatch) in surroundings of our own (GitHome), and sent on only to where a
// redirect may lead (redirect.h).

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

}  // namespace torchpatch::source
