// SPDX-License-Identifier: BSD-3-Clause
/// Renders pages as text for a terminal (document_text: wrapped to its width, in colours if supported, ECMA-48 SGR) and
/// as manual pages (document_man); escapes text for CommonMark and troff.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "document/document.h"

namespace torchpatch {

enum class TextColor { none, ansi };

struct TextStyle {
  std::size_t width = 0;  ///< columns; 0: no wrapping, for files and other programs
  TextColor color = TextColor::none;
};

/// Renders the blocks as text in which no content can move the cursor, and no line ends in spaces. Content below a
/// heading is indented by two. Words, such as ids and paths, are never split. Lists, terms and tables follow each other
/// without empty lines, except between two that are aligned separately; literal text and changed lines are not wrapped.
std::string blocks_text(const std::vector<Block>& blocks, const TextStyle& style = {});
/// Renders the title, then the blocks.
std::string document_text(const Document& document, const TextStyle& style = {});

enum class Paint { heading, added, removed, added_word, removed_word, warning, error, faint };

/// Returns `text` in a colour, or unchanged. It must not contain a newline: a pager resets colours at each line.
std::string painted(const std::string& text, Paint paint, TextColor color);

/// Returns `text` for use in a line: unchanged, or quoted if it would end the line or move the cursor.
std::string plain_line(const std::string& text);

/// Returns the width of `text` in terminal columns: two for each wide character, zero for a combining one.
std::size_t columns_of(std::string_view text);

// Changed lines.

/// Renders hunks as a unified diff, each beginning with "@@ -12,7 +12,9 @@", or "@@" if no line has a number.
std::string hunks_diff(const Hunks& hunks);

/// Returns `text` as one line of plain text: CommonMark markup is escaped, control bytes become spaces.
std::string markdown_text(std::string_view text);

/// Returns `text` as a code span; it may contain backticks.
std::string code_span(std::string_view text);

/// Returns `text` as a fenced code block; it may contain backticks.
std::string code_block(std::string_view text, std::string_view language);

// Tables in Markdown, which GitHub supports but CommonMark does not.

/// A part of a text: CommonMark, or a table whose cells are one-line CommonMark.
struct MarkdownPart {
  std::string text{};                            ///< if there are no rows
  std::vector<std::vector<std::string>> rows{};  ///< the first has the heads; all have its length
};

/// Splits a text at its tables outside lists and quotes, as defined in
/// https://github.github.com/gfm/#tables-extension-.
std::vector<MarkdownPart> split_tables(std::string_view markdown);

/// Escapes `text` for troff: backslashes, minus signs (bare ones become hyphens), quotes that troff would curl, and
/// line starts that are requests; newlines are kept.
std::string roff_text(std::string_view text);

/// The same for a name or an address, which may then be broken after punctuation, without a hyphen.
std::string roff_breakable(std::string_view text);

/// Returns `text` as one argument of a request, in double quotes.
std::string roff_argument(std::string_view text);

// CommonMark → troff.

/// Renders `markdown` in the macros of man(7), as cmark does, but escapes the first characters of code lines (cmark
/// 0.30 treats ". build.env" in a code block as a request) and allows breaks in long code spans.
std::string markdown_man(const std::string& markdown);

// Documents as manual pages.

/// Renders a page of section 7 in the macros of man(7). Links show the page name that `around` returns, without its
/// suffix. `name`: its own, such as "torchpatch-issue-cmake-4".
std::string document_man(const Document& document, const Surroundings& around, const std::string& name);

}  // namespace torchpatch
