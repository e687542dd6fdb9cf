// SPDX-License-Identifier: BSD-3-Clause
/// One pack of a foreign repository: found by our own reader of its index, unpacked by libgit2.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "git/object.h"
#include "git/pack_index.h"
#include "support/object_id.h"

namespace torchpatch::git {

class Pack {
 public:
  /// Opens "….idx". Raises source where the index cannot be used.
  explicit Pack(const std::string& index_path);
  ~Pack();
  Pack(Pack&&) noexcept;
  Pack& operator=(Pack&&) = delete;

  const std::string& index_path() const { return index_path_; }
  std::vector<ObjectId> ids() const { return index_.ids(); }
  bool contains(const ObjectId& id) const { return index_.find(id).has_value(); }
  /// Checks all of the index, and that the pack's header and trailer fit it; only the first call works. Raises source.
  void check();
  /// Unpacks an object that the pack contains, opening libgit2's handle where it is closed; its id is not checked.
  /// Raises source where the pack is damaged, unsafe where the object is over kMaxObjectBytes.
  Object read(const ObjectId& id);
  /// Closes libgit2's handle, which holds up to 16 MiB of delta bases and a mapping of the index.
  void close();

 private:
  struct Handle;

  std::string index_path_;
  PackIndex index_;
  std::unique_ptr<Handle> handle_;
  bool is_checked_ = false;
};

}  // namespace torchpatch::git
