// SPDX-License-Identifier: BSD-3-Clause
/// Fetches exact commits with the git program, by id and without history: `git fetch --depth 1 <url> <commit>`
/// (design §8; libgit2 1.5 has neither timeouts nor shallow fetches, reliability §3.3).
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "support/object_id.h"

namespace torchpatch::source {

/// Commits of one URL, into one repository.
struct Fetch {
  std::string url;         ///< without url_problem
  std::string repository;  ///< a bare repository that nobody else writes to
  std::vector<ObjectId> commits;
};

/// Runs the fetches side by side, at most `parallel` at a time; returns for each, in order, an empty text where git
/// said that it worked, else git's reason. Nothing of the machine's, the user's or the environment's configuration of
/// git has an effect, nothing is asked of the user, only the URL's own scheme is spoken, and a fetch is ended after
/// `timeout`. What is fetched is referenced below kFetchedReferences; it is for the reader to check every object.
std::vector<std::string> run_fetches(const std::vector<Fetch>& fetches, int parallel, std::chrono::seconds timeout);

}  // namespace torchpatch::source
