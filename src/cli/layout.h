// SPDX-License-Identifier: BSD-3-Clause
/// Lays out text in columns and lines for a terminal of 80 columns.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace torchpatch::cli {

/// Returns `text` broken at blanks into lines of at most `width` characters; a longer word stands alone.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

/// Returns the paragraphs of `text` (separated by empty lines), each on one line.
std::vector<std::string> paragraphs(std::string_view text);

/// Returns "  left    right" with the right side wrapped in its column; where the left side is too long the right one
/// begins on the next line.
std::string two_columns(std::string_view left, std::string_view right);

}  // namespace torchpatch::cli
