// SPDX-License-Identifier: BSD-3-Clause
/// A git object as a value.
#pragma once

#include <cstdint>
#include <string>

#include "support/error.h"
#include "support/object_id.h"

namespace torchpatch::git {

enum class ObjectType { commit, tree, blob, tag };
/// Returns git's word: "commit", "tree", "blob" or "tag".
const char* object_type_name(ObjectType type);

struct Object {
  ObjectType type = ObjectType::blob;
  std::string bytes;
};

/// Largest object that is read: 256 MiB; a larger one is refused as unsafe, and a loose one before it is inflated.
inline constexpr std::uint64_t kMaxObjectBytes = 256ull << 20;

/// Returns the unsafe Error for an object that says in the file `name` that it has `size` bytes.
Error object_too_large(const ObjectId& id, std::uint64_t size, const std::string& name);

}  // namespace torchpatch::git
