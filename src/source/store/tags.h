// SPDX-License-Identifier: BSD-3-Clause
/// Tags and other references of repositories on disk (read_references, read_tagged_copies) and on servers
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

/// A tag, peeled to its commit.
struct CommitTag {
  std::string name;
  ObjectId commit;
  std::optional<std::int64_t> time{};  ///< of the commit, seconds since 1970; nothing if unknown
};
FIELDS(CommitTag, name, commit, time)

/// Selects references by name.
using ReferenceFilter = std::function<bool(std::string_view name)>;
/// Name without the common prefix → id.
using References = std::map<std::string, ObjectId>;

/// Returns the references below `prefix`, such as "refs/tags/", of the repository (the directory that contains
/// "objects"), loose and packed; symbolic ones are skipped. Raises as read_file.
References read_references(const std::string& repository, const std::string& prefix, const ReferenceFilter& is_wanted);

/// Returns the commit of HEAD, or nothing. Raises as read_file.
std::optional<ObjectId> read_head(const std::string& repository);

/// The result for one object folder.
struct TaggedCopy {
  std::vector<ObjectId> held;  ///< those of the requested commits that it has
  std::vector<CommitTag> tags;
};
FIELDS(TaggedCopy, held, tags)

/// Searches each object folder for the commits, and if it has any, for the tags of its repository, loose and packed,
/// sorted by name; tags of other objects are skipped. Runs in worker processes. Raises source if a tag is damaged, and
/// as run_workers.
std::vector<TaggedCopy> read_tagged_copies(const std::vector<std::string>& object_folders,
                                           const std::vector<ObjectId>& commits, const ReferenceFilter& is_wanted,
                                           int jobs);

/// Sets the times of tags whose commit is in the object folder. Runs in a worker process. Raises as above.
void read_tag_times(const std::string& object_folder, std::vector<CommitTag>& tags);

/// The tags to request from a repository.
struct TagQuery {
  std::string url;                    ///< accepted by url_problem
  std::vector<std::string> patterns;  ///< tag names, with '*' and '[…]' as in a shell
};

struct RemoteTags {
  std::string reason{};  ///< the failure, or empty on success
  std::vector<CommitTag> tags{};
};

/// Lists the tags of servers (git ls-remote) in parallel, without storing anything; retries temporary failures. Returns
/// the results in order, without commit times. Raises environment without a git program, the only one that can do it;
/// Interrupted.
std::vector<RemoteTags> list_remote_tags(const std::vector<TagQuery>& queries, const FetchOptions& options,
                                         Console& console);

/// Fetches the tags' commits, without trees and files if the server supports that, and sets their times. Returns the
/// failure, or empty text. Raises as above, and source if the result is damaged.
std::string fetch_tag_times(const std::string& url, std::vector<CommitTag>& tags, const FetchOptions& options,
                            Console& console);

}  // namespace torchpatch::source
