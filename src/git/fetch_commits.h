// SPDX-License-Identifier: BSD-3-Clause
/// fetch_commits(): fetches commits with libgit2, on hosts without a git program.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "support/digest.h"

namespace torchpatch::git {

/// Reported first: the server was reached.
inline constexpr const char* kConnected = "connected";

/// Name prefix of the directories in a repository in which commits arrive; killed runs leave them behind.
inline constexpr const char* kIncoming = "incoming-";

/// Fetches commits from `url`, which the caller has approved, into the bare repository at `repository`, and writes the
/// reference `references` + id for each. libgit2 1.5 has no shallow fetch, so their full history comes along; it has no
/// timeouts either and parses the server's data, so call it only in a separate, watched process. Uses the environment's
/// proxy and certificate authorities; follows no redirects, never logs in. `on_progress` is called for each part that
/// arrives; an exception from it ends the fetch.
///
/// The repository is not read, and not changed before everything has arrived. Raises source if the server cannot be
/// reached or lacks a commit, environment if the repository cannot be written.
void fetch_commits(const std::string& url, const std::string& repository, const std::vector<ObjectId>& commits,
                   const std::string& references, const std::function<void(const std::string& line)>& on_progress);

}  // namespace torchpatch::git
