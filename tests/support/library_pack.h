// SPDX-License-Identifier: BSD-3-Clause
/// A pack read by libgit2: what our own reader is compared with.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "git/object.h"
#include "support/digest.h"

namespace torchpatch::test {

class LibraryPack {
 public:
  /// Opens nothing yet: "….idx".
  explicit LibraryPack(const std::string& index_path);
  ~LibraryPack();
  LibraryPack(const LibraryPack&) = delete;
  LibraryPack& operator=(const LibraryPack&) = delete;

  /// Returns the object, whose id is not checked; nothing where libgit2 refuses it. A circle of deltas never ends.
  std::optional<git::Object> read(const ObjectId& id) const;

 private:
  struct Handle;
  std::unique_ptr<Handle> handle_;
};

}  // namespace torchpatch::test
