// SPDX-License-Identifier: BSD-3-Clause
/// Which words of a changed line changed: for readers, who see one letter in a long line only when it is marked.
#pragma once

#include <cstddef>
#include <vector>

#include "patch/patch_file.h"

namespace torchpatch::patch {

/// Bytes of a line that are not in the lines they replace, or that replaces them: [begin, end).
struct WordSpan {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool operator==(const WordSpan&) const = default;
};

/// Returns the changed spans of each line of the hunk, in order. Only a run of removed lines with a run of added ones
/// right behind it has some, and only where the two have at least a third of their text in common: else all is new.
std::vector<std::vector<WordSpan>> word_changes(const Hunk& hunk);

}  // namespace torchpatch::patch
