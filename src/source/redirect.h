// SPDX-License-Identifier: BSD-3-Clause
/// Where a server sends a fetch on to. git is told to follow no redirect at all; we follow those to another path of the
/// same server, which is how hosts answer for repositories that were renamed (reliability §3.3 21).
#pragma once

#include <string>

#include "source/http_trace.h"

namespace torchpatch::source {

struct Redirect {
  std::string url{};      ///< where to fetch instead, or empty
  std::string refusal{};  ///< why not there, or empty; both are empty where there was no redirect
};

/// Returns what the last answer in `trace` to a fetch from `url` means: a redirect of the first request to the same
/// scheme, host and port is a URL (without url_problem), any other is refused.
Redirect find_redirect(const std::string& url, const HttpTrace& trace);

}  // namespace torchpatch::source
