// SPDX-License-Identifier: BSD-3-Clause
/// Packs objects out of folders that nobody vouches for: worker processes read, check and compress them, the parent
/// writes them one after the other.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "git/pack_writer.h"
#include "support/console.h"
#include "support/object_id.h"

namespace torchpatch::source {

/// The objects of one pack, in its order, each once.
struct PackRequest {
  std::vector<ObjectId> objects;
  int near = -1;     ///< folder to look in first
  std::string name;  ///< for messages: "github.com/pytorch/pytorch"
};

/// Writes the packs one after the other, in the order of `requests`: `open` returns what takes the bytes of a pack,
/// `close` is told that it has all of them. Equal requests give equal bytes, whatever the folders hold besides, and
/// whatever the number of jobs. Raises source where an object is missing or damaged, and what `open` and `close` raise.
void pack_objects(const std::vector<PackRequest>& requests, const std::vector<std::string>& object_folders, int jobs,
                  const std::function<git::PackWriter::Sink(std::size_t request)>& open,
                  const std::function<void(std::size_t request, git::WrittenPack pack)>& close, Console& console);

}  // namespace torchpatch::source
