// SPDX-License-Identifier: BSD-3-Clause
/// Fetches exact commits with the git program, by id and without history: `git fetch --depth 1 <url> <commit>`
/// (design §8; libgit2 1.5 has neither timeouts nor shallow fetches, reliability §3.3).
#pragma once

#include <vector>

#include "source/fetch.h"

namespace torchpatch::source {

/// Runs the fetches side by side, each once; returns what came of each, in order. Of the configuration of the machine,
/// the user and the environment nothing has an effect but what `options` gives, nothing is asked of the user, only the
/// URL's own scheme is spoken, and a fetch that outlasts a timeout is ended with all its processes. What is fetched is
/// referenced below kFetchedReferences; it is for the reader to check every object.
std::vector<FetchOutcome> run_fetches(const std::vector<Fetch>& fetches, const FetchOptions& options);

}  // namespace torchpatch::source
