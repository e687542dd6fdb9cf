// SPDX-License-Identifier: BSD-3-Clause
/// write_files(): writes files once, in parallel worker processes, into a directory that nobody else uses (staging).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/path_rule.h"
#include "support/console.h"
#include "support/digest.h"
#include "support/error.h"
#include "support/fields.h"
#include "support/worker_pool.h"

namespace torchpatch::tree {

/// A file or link to write, with content from a blob or computed by a patch.
struct FileToWrite {
  std::string path;  ///< relative to the root of the output
  FileMode mode = FileMode::regular;
  ObjectId blob;                     ///< id of the content
  int store = -1;                    ///< object folder to search first
  std::optional<std::string> bytes;  ///< content, if not read from a store
};

struct WrittenFile {
  Sha256 sha256;  ///< of a regular file's content
  std::uint64_t size = 0;
  std::string link_target;  ///< of a link
};
FIELDS(WrittenFile, sha256, size, link_target)

/// Default limit of a tree's size in bytes: PyTorch 2.1 has 1.5 GB with all submodules.
inline constexpr std::uint64_t kMaxTreeBytes = 8ull << 30;

/// Returns the error for files that exceed the limit in total.
Error tree_too_large(const std::string& what, std::uint64_t bytes, std::uint64_t max_bytes);

struct WriteOptions {
  std::vector<std::string> object_folders;
  std::int64_t mtime = 0;  ///< of every file, link and directory
  int jobs = 1;
  WorkerLimits limits;
  bool sync = false;  ///< fsync everything (--sync)
  std::uint64_t max_bytes = kMaxTreeBytes;
};

/// Writes all of `files` below `root` (an existing empty directory) with modes 0644 and 0755, directories 0755,
/// regardless of the umask; only paths and modes that the rule allows, never following a link. Returns one row per
/// file, in order. Raises unsafe (path, mode, link; more than `max_bytes`), source (object missing or damaged, worker
/// died), environment (disk full, …).
std::vector<WrittenFile> write_files(const std::string& root, const std::vector<FileToWrite>& files,
                                     const WriteOptions& options, Console& console);

}  // namespace torchpatch::tree
