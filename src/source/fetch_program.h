// SPDX-License-Identifier: BSD-3-Clause
/// Programs that fetch, run under watch (FetchWatch) in surroundings of our own (GitHome), and sent on only to where a
/// redirect may lead (redirect.h).
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "source/fetch.h"

namespace torchpatch::source {

struct FetchProgram {
  std::string url;                                                   ///< without url_problem
  std::function<std::vector<std::string>(const std::string&)> line;  ///< returns the command line for a URL
  std::string objects{};               ///< folder that git puts objects into; empty: the repository's own
  std::string input{};                 ///< path of the file on its stdin, or empty
  std::chrono::milliseconds spent{0};  ///< counts towards the total timeout
};

/// Runs the programs side by side, each once but for redirects; returns what came of each, in order.
std::vector<FetchOutcome> run_fetch_programs(std::vector<FetchProgram> programs, const FetchOptions& options);

/// Whether there is a git program.
bool has_git();
/// Returns the beginning of a command line of git for a repository, with the settings of every fetch.
std::vector<std::string> git_line(const std::string& repository);
/// Returns the options and the URL of `git fetch`, as FetchWatch and the cache need them; refspecs may follow.
std::vector<std::string> git_fetch_line(const std::string& repository, const std::string& url,
                                        const std::vector<std::string>& more);

}  // namespace torchpatch::source
