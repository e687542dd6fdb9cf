// SPDX-License-Identifier: BSD-3-Clause
/// Text that becomes part of a CommonMark page (internal).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace torchpatch {

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

}  // namespace torchpatch
