// SPDX-License-Identifier: BSD-3-Clause
/// Lists a prepared tree on disk and hashes it again, trusting nothing that lies in it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/console.h"
#include "support/object_id.h"
#include "support/worker_pool.h"

namespace torchpatch::tree {

enum class EntryType { regular, link, directory, other };

struct ScannedEntry {
  std::string path;  ///< relative to the root
  EntryType type = EntryType::other;
  std::uint32_t mode = 0;  ///< permission bits, 07777
  std::uint64_t size = 0;
  ObjectId blob;  ///< regular: of its content; link: of its target
  Sha256 sha256;  ///< regular
  std::string link_target;
  std::string error;  ///< why it could not be read, or empty
};

/// Lists everything below `root` (not root itself), sorted bytewise by path; opens nothing that is not a regular file,
/// follows no link, does not cross into another file system's special files, never blocks on a FIFO. Hashes regular
/// files in parallel.
std::vector<ScannedEntry> scan_tree(const std::string& root, int jobs, Console& console);

}  // namespace torchpatch::tree
