// SPDX-License-Identifier: BSD-3-Clause
/// fetch_commits(): fetches commits with libgit2, on hosts without a git program.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "support/digest.h"

namespace torchpatch::git {

/// What is told first: the server is reached.
inline constexpr const char* kConnected = "connected";

/// How directories in the repository begin in which commits arrive; a run that was killed leaves them behind.
inline constexpr const char* kIncoming = "incoming-";

/// Brings commits from `url`, a URL that the caller may speak to, into the bare repository at `repository`, and lets
/// `references` + id name each. libgit2 1.5 knows no depth, so all their history comes along; it knows no timeouts
/// either, and it reads what a server sends: only ever called in a process of its own, which
/// somebody watches. Proxy and certificate authorities are those of the environment; redirects are not followed, and
/// nobody logs in. `on_progress` is told of each part that arrives; what it raises ends the fetch.
///
/// Nothing of the repository is read, and nothing of it changes before all has arrived. Raises source where the server
/// cannot be reached or lacks a commit, environment where the repository cannot be written.
void fetch_commits(const std::string& url, const std::string& repository, const std::vector<ObjectId>& commits,
                   const std::string& references, const std::function<void(const std::string& line)>& on_progress);

}  // namespace torchpatch::git
