// SPDX-License-Identifier: BSD-3-Clause
/// One pack of a foreign repository, found and unpacked by our own bounded code.
/// Format: https://git-scm.com/docs/gitformat-pack
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
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
  Pack(const Pack&) = delete;
  Pack& operator=(const Pack&) = delete;

  const std::string& index_path() const { return index_path_; }
  /// All objects, in the order in which reading them is fastest.
  std::vector<ObjectId> ids() const { return index_.ids(); }
  /// Returns the place of an object, or nothing.
  std::optional<std::uint64_t> find(const ObjectId& id) const { return index_.find(id); }
  /// Checks all of the index, and that the pack's header and trailer fit it; only the first call works. Raises source.
  void check();
  /// Unpacks the object at this place, opening the pack where it is closed; its id is not checked. The bases of deltas
  /// are looked for in this pack alone, as git does. Raises source where the pack is damaged, unsafe where the object,
  /// or something it is made of, is over kMaxObjectBytes.
  Object read(std::uint64_t place);
  /// The same for an object's id; raises source where the pack lacks it as well.
  Object read(const ObjectId& id);
  /// Returns the size that the entry at this place declares; of a delta, that of the object that it begins with. Raises
  /// as read().
  std::uint64_t size_of(std::uint64_t place);
  /// Closes the pack: gives up its mapping, and up to 1 MiB of delta bases.
  void close();

 private:
  struct Open;
  Open& open();

  std::string index_path_;
  PackIndex index_;
  std::unique_ptr<Open> open_;
  bool is_checked_ = false;
};

}  // namespace torchpatch::git
