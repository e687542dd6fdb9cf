// SPDX-License-Identifier: BSD-3-Clause
/// Writes single files and links; the work of one worker process of write_files().
#pragma once

#include <sys/stat.h>

#include <array>
#include <string>

#include "git/object_store.h"
#include "tree/directory_cursor.h"
#include "tree/write_files.h"

namespace torchpatch::tree {

/// Returns access and modification time for futimens() and utimensat(): both `mtime`.
std::array<timespec, 2> both_times(std::int64_t mtime);

class FileWriter {
 public:
  /// `options` must outlive the writer.
  FileWriter(const std::string& root, const WriteOptions& options);

  /// Writes one file or link whose directory is there. Raises unsafe (link target), source (object missing or damaged),
  /// environment (disk full, …).
  WrittenFile write(const FileToWrite& file);
  /// Returns what was damaged in the folders, and to be had elsewhere, since the last call.
  std::vector<std::string> new_warnings();

 private:
  std::string read_blob(const FileToWrite& file);
  WrittenFile write_regular(const FileToWrite& file, std::string_view content);
  WrittenFile write_link(const FileToWrite& file, std::string_view target);

  const WriteOptions& options_;
  std::array<timespec, 2> times_;
  DirectoryCursor directories_;
  git::ObjectStore store_;
  std::size_t told_ = 0;
};

}  // namespace torchpatch::tree
