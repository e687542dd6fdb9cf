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

/// The values are the types' numbers in packs and in libgit2.
enum class ObjectType { commit = 1, tree, blob, tag };
/// Returns git's word: "commit", "tree", "blob" or "tag".
const char* object_type_name(ObjectType type);
/// Returns the type of git's word, or of its number in packs, or nothing.
std::optional<ObjectType> object_type_of(std::string_view name);
std::optional<ObjectType> object_type_of(unsigned number);

struct Object {
  ObjectType type = ObjectType::blob;
  std::string bytes;
};

/// Size limit of objects: 256 MiB. Larger ones are refused as unsafe; loose ones before they are inflated.
inline constexpr std::uint64_t kMaxObjectBytes = 256ull << 20;

/// Returns the unsafe Error for an object whose file `name` declares a size of `size` bytes.
Error object_too_large(const ObjectId& id, std::uint64_t size, const std::string& name);

struct TreeEntry {
  std::string mode;  ///< octal text as in the object: "40000"
  std::string name;
  ObjectId id;
};

/// Parses a tree object. Raises source if it is malformed, not in git's order or has duplicate names. Modes and names
/// are left to the path-and-mode rule.
std::vector<TreeEntry> parse_tree(std::string_view bytes);
/// Returns the content of a tree object with these entries, in git's order.
std::string format_tree(std::vector<TreeEntry> entries);

struct Commit {
  ObjectId tree;
  std::vector<ObjectId> parents{};
  std::int64_t time = 0;  ///< committer time, seconds since 1970
  std::int64_t zone = 0;  ///< committer's offset from UTC in seconds; 0 if it is not a zone
  std::string subject{};  ///< first line of its message
};
/// Raises source if the bytes are not a commit object, or its time is before 1970 or after the year 9999.
Commit parse_commit(std::string_view bytes);

/// Returns the target of an annotated tag, possibly another tag. Raises source if the bytes are not a tag object.
ObjectId parse_tag(std::string_view bytes);

}  // namespace torchpatch::git
