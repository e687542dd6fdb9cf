// SPDX-License-Identifier: BSD-3-Clause
/// Tags and other references: of repositories on disk (read_references, read_tagged_copies) and of servers
/// (list_remote_tags).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "source/fetch/fetch_program.h"
#include "support/console.h"
#include "support/digest.h"
#include "support/fields.h"

namespace torchpatch::source {

/// A tag, and the commit that it leads to in the end.
struct CommitTag {
  std::string name;
  ObjectId commit;
  std::optional<std::int64_t> time{};  ///< of the commit, seconds since 1970; nothing where the commit is not there
};
FIELDS(CommitTag, name, commit, time)

/// Which references are of interest.
using ReferenceFilter = std::function<bool(std::string_view name)>;
/// Their names, without what is common to all, and what they are for.
using References = std::map<std::string, ObjectId>;

/// Returns the references below `prefix`, such as "refs/tags/", of the repository (the directory that has its
/// "objects"), loose and packed; symbolic ones are left out. Raises as read_file.
References read_references(const std::string& repository, const std::string& prefix, const ReferenceFilter& is_wanted);

/// Returns the commit that HEAD is at, or nothing. Raises as read_file.
std::optional<ObjectId> read_head(const std::string& repository);

/// What a folder of objects says.
struct TaggedCopy {
  std::vector<ObjectId> held;  ///< of the commits that were asked for, those that are there
  std::vector<CommitTag> tags;
};
FIELDS(TaggedCopy, held, tags)

/// Looks into each of the object folders for the commits, and, where any is there, for the tags of its repository,
/// loose and packed, sorted by name; one that leads to no commit is left out. In worker processes. Raises source where
/// a tag is damaged, and as run_workers does.
std::vector<TaggedCopy> read_tagged_copies(const std::vector<std::string>& object_folders,
                                           const std::vector<ObjectId>& commits, const ReferenceFilter& is_wanted,
                                           int jobs);

/// Sets the times of those tags whose commit is in the object folder. In a worker process. Raises as above.
void read_tag_times(const std::string& object_folder, std::vector<CommitTag>& tags);

/// Which tags to ask a repository for.
struct TagQuery {
  std::string url;                    ///< without url_problem
  std::vector<std::string> patterns;  ///< names of tags, in which '*' and '[…]' are as in a shell
};

struct RemoteTags {
  std::string reason{};  ///< why not, or empty where it worked
  std::vector<CommitTag> tags{};
};

/// Asks servers for their tags (git ls-remote), side by side, nothing is kept; what may pass is tried again. Returns
/// what came of each, in order; the times of the commits are not known. Raises environment where there is no git
/// program, which alone can do it; Interrupted.
std::vector<RemoteTags> list_remote_tags(const std::vector<TagQuery>& queries, const FetchOptions& options,
                                         Console& console);

/// Fetches the commits of the tags, without trees and files where the server can do so, and sets their times. Returns
/// why not, or empty text. Raises as above, and source where what came is damaged.
std::string fetch_tag_times(const std::string& url, std::vector<CommitTag>& tags, const FetchOptions& options,
                            Console& console);

}  // namespace torchpatch::source
