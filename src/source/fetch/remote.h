// SPDX-License-Identifier: BSD-3-Clause
/// Fetches exact commits by id and without history, `git fetch --depth 1 <url> <commit>`, with retries: run_fetches(),
/// run_fetches_patiently(). By the git program, since libgit2 1.5 has neither timeouts nor shallow fetches;
/// fetch_with_library() is for machines without git.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "source/fetch/fetch_program.h"
#include "support/console.h"

namespace torchpatch::source {

/// Runs the fetches side by side, each once; returns what came of each, in order. Of the configuration of the machine,
/// the user and the environment nothing has an effect but what `options` gives, nothing is asked of the user, only the
/// URL's own scheme is spoken, and a fetch that outlasts a timeout is ended with all its processes. What is fetched is
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
