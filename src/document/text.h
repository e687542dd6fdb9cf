// SPDX-License-Identifier: BSD-3-Clause
/// Renders pages as text for a terminal (document_text: wrapped to its width, in colours if it has them, ECMA-48 SGR)
/// and as manual pages (document_man), and escapes text for CommonMark and troff.
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

/// Returns `text` as one line of plain text: what CommonMark would read as markup is escaped, control bytes are spaces.
std::string markdown_text(std::string_view text);

/// Returns `text` as a code span, whatever backticks it has.
std::string code_span(std::string_view text);

/// Returns `text` as a fenced code block, whatever backticks it has.
std::string code_block(std::string_view text, std::string_view language);

// Tables in Markdown, which CommonMark has not and GitHub shows.

/// A part of a text: CommonMark, or a table whose cells are CommonMark of one line.
struct MarkdownPart {
  std::string text{};                            ///< where there are no rows
  std::vector<std::vector<std::string>> rows{};  ///< the first has the heads; all are as long as that one
};

/// Splits a text at the tables that stand outside of lists and quotes, as
/// https://github.github.com/gfm/#tables-extension- has them.
std::vector<MarkdownPart> split_tables(std::string_view markdown);

/// Returns `text` for troff: backslashes, minus signs (a bare one becomes a hyphen), quotes that troff would bend, and
/// line starts that mean requests are escaped; lines stay.
std::string roff_text(std::string_view text);

/// The same for a name or an address, which may then break behind its signs, without a hyphen.
std::string roff_breakable(std::string_view text);

/// Returns `text` as one argument of a request, in double quotes.
std::string roff_argument(std::string_view text);

// CommonMark → troff.

/// Returns `markdown` in the macros of man(7), as cmark writes them, but with the first signs of code lines escaped
/// (cmark 0.30 takes ". build.env" in a code block for a request) and with long code spans that can break.
std::string markdown_man(const std::string& markdown);

// Documents as manual pages.

/// Returns a page of section 7 in the macros of man(7). Links name the page that `around` gives for them, without its
/// suffix. `name`: its own, such as "torchpatch-issue-cmake-4".
std::string document_man(const Document& document, const Surroundings& around, const std::string& name);

}  // namespace torchpatch
