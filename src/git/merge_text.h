// SPDX-License-Identifier: BSD-3-Clause
/// merge_texts(): merges two changes of one text, as git merge-file does. Only ever used inside a worker process, since
/// the texts are somebody else's.
#pragma once

#include <string>
#include <string_view>

namespace torchpatch::git {

/// A text, and what it is called in the marks of a conflict.
struct MergeSide {
  std::string_view text;
  std::string label;
};

struct MergedText {
  bool is_clean = false;
  std::string text;  ///< with git's marks, in the style diff3, where it is not clean
};

/// Returns `ours` with what `theirs` changes against `base`. Raises source where libgit2 fails.
MergedText merge_texts(const MergeSide& base, const MergeSide& ours, const MergeSide& theirs);

/// Returns the same, word by word in place of line by line, where that is clean; else nothing of use: the text is
/// empty. What comes out clean may well be wrong: for a person to look at.
MergedText merge_words(std::string_view base, std::string_view ours, std::string_view theirs);

}  // namespace torchpatch::git
