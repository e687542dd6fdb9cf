// SPDX-License-Identifier: BSD-3-Clause
/// The lines between "diff --git" and the content of a file: modes, renames, ids.
#pragma once

#include <optional>
#include <string>

#include "patch/line_reader.h"
#include "patch/patch_file.h"

namespace torchpatch::patch {

/// The extended header lines as they stand; each at most once.
struct ExtendedHeader {
  std::optional<FileMode> old_mode;
  std::optional<FileMode> new_mode;
  std::optional<FileMode> created_mode;
  std::optional<FileMode> removed_mode;
  std::optional<FileMode> index_mode;
  std::optional<std::string> rename_from;
  std::optional<std::string> rename_to;
  std::optional<std::string> copy_from;
  std::optional<std::string> copy_to;
  std::optional<int> similarity;
  std::optional<int> dissimilarity;
  std::optional<std::string> old_id;
  std::optional<std::string> new_id;

  /// Returns what happens to the file, or nothing where lines contradict each other or one of a pair is missing.
  std::optional<ChangeKind> kind() const;
};

/// Reads the extended header lines from the current line on, and leaves `in` behind them. Raises data for malformed or
/// repeated lines, unsafe for modes that the path-and-mode rule refuses.
ExtendedHeader parse_extended_header(LineReader& in);

}  // namespace torchpatch::patch
