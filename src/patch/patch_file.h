// SPDX-License-Identifier: BSD-3-Clause
/// A patch as a value: what `git diff --binary` writes, in its own terms.
/// The format: git-diff(1) "Generating patch text with -p"; binary hunks as git apply reads them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/path_rule.h"

namespace torchpatch::patch {

/// Digits of an object id that is written in full.
inline constexpr std::size_t kFullId = 40;

enum class LineKind : char { context = ' ', removed = '-', added = '+' };

struct HunkLine {
  LineKind kind = LineKind::context;
  /// Exact bytes with the final newline; without it where "\ No newline at end of file" follows.
  std::string text;
  bool operator==(const HunkLine&) const = default;
};

/// "@@ -old_start,old_count +new_start,new_count @@section" and its lines. A start is 1-based; where its count is 0 it
/// is the line after which the hunk stands.
struct Hunk {
  std::uint32_t old_start = 0;
  std::uint32_t old_count = 0;
  std::uint32_t new_start = 0;
  std::uint32_t new_count = 0;
  std::string section;  ///< what follows the second "@@", with its space
  std::vector<HunkLine> lines;
  bool operator==(const Hunk&) const = default;
};

enum class BinaryMethod { literal, delta };

struct BinaryHunk {
  BinaryMethod method = BinaryMethod::literal;
  std::string data;  ///< inflated: the whole new content, or git's delta against the old one
  bool operator==(const BinaryHunk&) const = default;
};

struct BinaryChange {
  BinaryHunk forward;
  std::optional<BinaryHunk> reverse;
  bool operator==(const BinaryChange&) const = default;
};

enum class ChangeKind { modify, create, remove, rename, copy };

/// What happens to one file. Paths are relative to the root the patch is for, without "a/" and "b/".
struct FilePatch {
  ChangeKind kind = ChangeKind::modify;
  std::string old_path;              ///< empty: the file is created
  std::string new_path;              ///< empty: the file is removed
  std::optional<FileMode> old_mode;  ///< as the patch states it; never directory
  std::optional<FileMode> new_mode;  ///< absent: the mode stays
  std::optional<int> similarity;     ///< percent, of renames and copies
  std::string old_id;                ///< blob ids of the index line, 4 to 40 hex digits, or both empty
  std::string new_id;
  std::vector<Hunk> hunks;
  std::optional<BinaryChange> binary;

  /// The path to speak of: the new one, or that of a removed file.
  const std::string& path() const { return new_path.empty() ? old_path : new_path; }
  bool has_content() const { return !hunks.empty() || binary; }
  bool operator==(const FilePatch&) const = default;
};

struct PatchFile {
  std::string preamble;  ///< all text before the first file: header fields (header.h), a mail's head and message
  std::vector<FilePatch> files;
  bool operator==(const PatchFile&) const = default;
};

}  // namespace torchpatch::patch
