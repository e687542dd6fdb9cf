// SPDX-License-Identifier: BSD-3-Clause
/// Tables in Markdown, which CommonMark has not and GitHub shows (internal).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace torchpatch::emit {

/// A part of a text: CommonMark, or a table whose cells are CommonMark of one line.
struct MarkdownPart {
  std::string text{};                            ///< where there are no rows
  std::vector<std::vector<std::string>> rows{};  ///< the first has the heads; all are as long as that one
};

/// Splits a text at the tables that stand outside of lists and quotes, as
/// https://github.github.com/gfm/#tables-extension- has them.
std::vector<MarkdownPart> split_tables(std::string_view markdown);

}  // namespace torchpatch::emit
