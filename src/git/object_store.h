// SPDX-License-Identifier: BSD-3-Clause
/// Reads git objects from folders that nobody vouches for. Only ever used inside a worker process
/// (support/worker_pool.h): libgit2 1.5 can crash or hang on damaged input (reliability §3.2).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "support/object_id.h"

namespace torchpatch::git {

enum class ObjectType { commit, tree, blob, tag };
const char* object_type_name(ObjectType type);

struct Object {
  ObjectType type = ObjectType::blob;
  std::string bytes;
};

/// Largest object that is read: 256 MiB; a larger one is refused as unsafe before it is inflated.
inline constexpr std::uint64_t kMaxObjectBytes = 256ull << 20;

/// Searches the object folders (".../objects") of several repositories, in order.
class ObjectStore {
 public:
  /// Folders whose pack indexes are malformed are left out, with a line in warnings().
  explicit ObjectStore(const std::vector<std::string>& object_folders);
  ~ObjectStore();
  ObjectStore(const ObjectStore&) = delete;
  ObjectStore& operator=(const ObjectStore&) = delete;

  /// Returns the object, its bytes checked against its id; nothing where no folder has it. An unreadable copy is a warning where another
  /// folder has a good one, and otherwise raises source.
  /// `near`: index of the folder to try first (where the repository's commit was found), or -1.
  std::optional<Object> read(const ObjectId& id, int near = -1);
  /// Returns the index of the first folder that has the object, or -1.
  int find(const ObjectId& id, int near = -1);
  const std::vector<std::string>& warnings() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace torchpatch::git
