// SPDX-License-Identifier: BSD-3-Clause
/// Fetches again what may work a little later.
#pragma once

#include <chrono>
#include <vector>

#include "source/fetch.h"
#include "support/console.h"

namespace torchpatch::source {

/// Runs the fetches, then up to `options.retries` times those whose failure may pass, for the commits that have not
/// come; what an attempt that was ended left behind is removed first. A later attempt waits for back_off(), or as long
/// as the server asks for; after one that broke off among the objects it is made in parts, smaller ones where not even
/// one of these came, and any that did begins the count anew. Returns what came of each, in order. Raises environment,
/// Interrupted.
std::vector<FetchOutcome> run_fetches_patiently(const std::vector<Fetch>& fetches, const FetchOptions& options,
                                                Console& console);

/// Returns how long to wait before the attempt after `failures` failed ones: 1, 2, 4 … s, at most 60 s, of which
/// `random` (0 to 1) takes away up to one half, so that many who failed together do not come back together.
std::chrono::milliseconds back_off(int failures, double random);

}  // namespace torchpatch::source
