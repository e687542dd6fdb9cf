// SPDX-License-Identifier: BSD-3-Clause
/// merge_texts(): three-way merge of texts, as git merge-file does. Use it only in worker processes, since the texts
/// are foreign.
#pragma once

#include <string>
#include <string_view>

namespace torchpatch::git {

/// A text, and its label in conflict markers.
struct MergeSide {
  std::string_view text;
  std::string label;
};

struct MergedText {
  bool is_clean = false;
  std::string text;  ///< with git's conflict markers, in diff3 style, if not clean
};

/// Merges the changes from `base` to `theirs` into `ours`. Raises source if libgit2 fails.
MergedText merge_texts(const MergeSide& base, const MergeSide& ours, const MergeSide& theirs);

/// Merges word by word instead of line by line. If that is not clean, the text is empty. A clean result may still be
/// wrong, so a person has to review it.
MergedText merge_words(std::string_view base, std::string_view ours, std::string_view theirs);

}  // namespace torchpatch::git
