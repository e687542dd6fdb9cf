// SPDX-License-Identifier: BSD-3-Clause
/// Asks servers for their tags (git ls-remote), in the surroundings of every fetch (remote.h); nothing is kept.
#pragma once

#include <string>
#include <vector>

#include "source/fetch/fetch.h"
#include "source/store/tags.h"
#include "support/console.h"

namespace torchpatch::source {

/// Which tags to ask a repository for.
struct TagQuery {
  std::string url;                    ///< without url_problem
  std::vector<std::string> patterns;  ///< names of tags, in which '*' and '[…]' are as in a shell
};

struct RemoteTags {
  std::string reason{};  ///< why not, or empty where it worked
  std::vector<CommitTag> tags{};
};

/// Asks for the tags, side by side; what may pass is tried again. Returns what came of each, in order; the times of the
/// commits are not known. Raises environment where there is no git program, which alone can do it; Interrupted.
std::vector<RemoteTags> list_remote_tags(const std::vector<TagQuery>& queries, const FetchOptions& options,
                                         Console& console);

/// Fetches the commits of the tags, without trees and files where the server can do so, and sets their times. Returns
/// why not, or empty text. Raises as above, and source where what came is damaged.
std::string fetch_tag_times(const std::string& url, std::vector<CommitTag>& tags, const FetchOptions& options,
                            Console& console);

}  // namespace torchpatch::source
