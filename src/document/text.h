// SPDX-License-Identifier: BSD-3-Clause
/// Pages as text for a terminal: wrapped to its width, in colours (ECMA-48 SGR) where it has them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "document/document.h"

namespace torchpatch {

enum class TextColor { none, ansi };

struct TextStyle {
  std::size_t width = 0;  ///< columns; 0: no line is wrapped, as files and other programs want it
  TextColor color = TextColor::none;
};

/// Returns the blocks as text in which nothing that they say moves a cursor, and no line ends in spaces. What stands
/// below a heading is indented by two. Words, which ids and paths are, are never cut. Lists, terms and tables follow
/// each other without empty lines, but for two that are aligned each for itself; literal text and changed lines are not
/// wrapped.
std::string blocks_text(const std::vector<Block>& blocks, const TextStyle& style = {});
/// Returns the title, and below it the blocks.
std::string document_text(const Document& document, const TextStyle& style = {});

enum class Paint { heading, added, removed, added_word, removed_word, warning, error, faint };

/// Returns `text` in a colour, or as it is. It must not have a newline in it: a pager resets colours at each line.
std::string painted(const std::string& text, Paint paint, TextColor color);

/// Returns `text` as part of a line: as it is, but quoted where it would end the line or move a terminal's cursor.
std::string plain_line(const std::string& text);

/// Returns the columns of a terminal that `text` takes: two for each wide character, none for a combining one.
std::size_t columns_of(std::string_view text);

// Changed lines.

/// Returns each hunk as a unified diff has it, "@@ -12,7 +12,9 @@" first; where no line has a number just "@@".
std::string hunks_diff(const Hunks& hunks);

}  // namespace torchpatch
