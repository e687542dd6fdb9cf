// SPDX-License-Identifier: BSD-3-Clause
/// git's objects as values (Object), and the contents of trees, commits and tags (parse_tree, parse_commit, parse_tag):
/// pure functions over bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/digest.h"
#include "support/error.h"

namespace torchpatch::git {

/// With the numbers by which packs, and libgit2, name the types.
enum class ObjectType { commit = 1, tree, blob, tag };
/// Returns git's word: "commit", "tree", "blob" or "tag".
const char* object_type_name(ObjectType type);
/// Returns the type of a word, or of the number that packs have for it, or nothing.
std::optional<ObjectType> object_type_of(std::string_view name);
std::optional<ObjectType> object_type_of(unsigned number);

struct Object {
  ObjectType type = ObjectType::blob;
  std::string bytes;
};

/// Largest object that is read: 256 MiB; a larger one is refused as unsafe, and a loose one before it is inflated.
inline constexpr std::uint64_t kMaxObjectBytes = 256ull << 20;

/// Returns the unsafe Error for an object that says in the file `name` that it has `size` bytes.
Error object_too_large(const ObjectId& id, std::uint64_t size, const std::string& name);

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
  std::vector<ObjectId> parents{};
  std::int64_t time = 0;  ///< committer time, seconds since 1970
  std::int64_t zone = 0;  ///< what the committer's clock is ahead of UTC, in seconds; 0 where that is not a zone
  std::string subject{};  ///< first line of its message
};
/// Raises source where the bytes are not a commit object, or its time is before 1970 or after the year 9999.
Commit parse_commit(std::string_view bytes);

/// Returns what an annotated tag is for; it may be another tag. Raises source where the bytes are not a tag object.
ObjectId parse_tag(std::string_view bytes);

}  // namespace torchpatch::git
