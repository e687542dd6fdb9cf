// SPDX-License-Identifier: BSD-3-Clause
/// Parses and writes git's tree and commit objects; pure functions over bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/object_id.h"

namespace torchpatch::git {

struct TreeEntry {
  std::string mode;  ///< octal text as it stands in the object: "40000"
  std::string name;
  ObjectId id;
};

/// Returns the entries of a tree object. Raises source where it is malformed, unsorted (git's order) or names one entry
/// twice. Whether modes and names may be written is for the path-and-mode rule to say.
std::vector<TreeEntry> parse_tree(std::string_view bytes);
/// Returns the content of the tree object with these entries, sorted as git sorts them.
std::string format_tree(std::vector<TreeEntry> entries);

struct Commit {
  ObjectId tree;
  std::int64_t time = 0;  ///< committer time, seconds since 1970
};
/// Raises source where the bytes are not a commit object, or its time is before 1970 or after the year 9999.
Commit parse_commit(std::string_view bytes);

}  // namespace torchpatch::git
