// SPDX-License-Identifier: BSD-3-Clause
/// Aligned columns of plain text (internal).
#pragma once

#include <string>
#include <vector>

namespace torchpatch::emit {

/// Returns `text` as part of a line: as it is, but quoted where it would end the line or move a terminal's cursor.
std::string plain_line(const std::string& text);

using Rows = std::vector<std::vector<std::string>>;

/// Returns one line a row: `indent`, then the cells, each column as wide as its widest cell, two spaces apart. What
/// would move a terminal's cursor is quoted. No line ends in spaces.
std::string text_table(const Rows& rows, const std::string& indent = "");

/// Returns "\n<heading>\n" and the rows, indented; nothing where there are none.
std::string text_section(const std::string& heading, const Rows& rows);

}  // namespace torchpatch::emit
