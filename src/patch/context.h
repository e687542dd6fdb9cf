// SPDX-License-Identifier: BSD-3-Clause
/// Changed lines: what differs between two lists (diff_lines), which words of a line (word_changes), and a change with
/// more of the file around it (widen_context).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "patch/patch_file.h"

namespace torchpatch::patch {

/// Returns the hunks that turn `before` into `after`, by a longest common subsequence, with `context` common lines
/// around each; none where they are equal. Of long lists the subsequence is nearly the longest: what differs in too
/// much for an exact answer is cut where the search got furthest, so that the time grows with the lines alone.
std::vector<Hunk> diff_lines(const std::vector<std::string>& before, const std::vector<std::string>& after,
                             std::size_t context);

// Which words of a changed line changed: for readers, who see one letter in a long line only when it is marked.

/// Bytes of a line that are not in the lines they replace, or that replaces them: [begin, end).
struct WordSpan {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool operator==(const WordSpan&) const = default;
};

/// Returns the changed spans of each line of the hunk, in order. Only a run of removed lines with a run of added ones
/// right behind it has some, and only where the two have at least a third of their text in common: else all is new.
std::vector<std::vector<WordSpan>> word_changes(const Hunk& hunk);

// A change with as much of the file around it as a reader wants.

/// Returns the same change of `before` with `context` unchanged lines around it, as git diff -U<context> shows it:
/// hunks that come near each other are one, and each says where it really stands. Raises ApplyError where a hunk does
/// not fit; `path` is for that.
std::vector<Hunk> widen_context(const std::vector<Hunk>& hunks, std::string_view before, std::size_t context,
                                const std::string& path);

}  // namespace torchpatch::patch
