// SPDX-License-Identifier: BSD-3-Clause
/// Reads a handful of blobs (those that patches touch) through a worker process.
#pragma once

#include <string>
#include <vector>

#include "source/object_source.h"
#include "support/console.h"
#include "support/object_id.h"

namespace torchpatch::source {

struct BlobRequest {
  ObjectId id;
  int store = -1;    ///< folder to look in first
  std::string name;  ///< for messages: "torch: setup.py"
};

/// Returns the bytes of each blob, in order. Raises source where one is missing or damaged.
std::vector<std::string> read_blobs(const std::vector<BlobRequest>& requests, ObjectSource& source, Console& console);

}  // namespace torchpatch::source
