// SPDX-License-Identifier: BSD-3-Clause
/// What a release archive holds: paths and blob ids, as they were when it was read. For reports alone; an object is
/// checked against its id whenever it is read.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/path_rule.h"
#include "support/object_id.h"

namespace torchpatch::source {

/// A file or link.
struct ArchiveEntry {
  std::string path;  ///< below the archive's top directory, where it has one
  FileMode mode = FileMode::regular;
  ObjectId blob;
  std::optional<ObjectId> unix_blob{};  ///< of a text with CR LF: the blob that it is with LF alone
};

struct ArchiveContents {
  std::string format;                 ///< "tar.gz"
  std::string commit;                 ///< that it says it was made of, or empty
  std::string top;                    ///< the one directory that all members lie in, or empty
  std::vector<ArchiveEntry> entries;  ///< sorted by path

  /// Returns the entry at a path, or null.
  const ArchiveEntry* find(std::string_view path) const;
  /// True where something lies below a directory ("": anything at all).
  bool has_below(std::string_view directory) const;
};

/// Sorts the entries, and takes the one directory that they all lie in off their paths.
void arrange(ArchiveContents& contents);

/// As bytes and back. Decoding raises source where the bytes are not what encoding writes.
std::string encode_archive_contents(const ArchiveContents& contents);
ArchiveContents decode_archive_contents(std::string_view bytes);

}  // namespace torchpatch::source
