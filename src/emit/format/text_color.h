// SPDX-License-Identifier: BSD-3-Clause
/// Colours of a report on a terminal (ECMA-48 SGR).
#pragma once

#include <string>

namespace torchpatch::emit {

enum class TextColor { none, ansi };

enum class Paint { heading, added, removed, added_word, removed_word, warning, error, faint };

/// Returns `text` in a colour, or as it is. It must not have a newline in it: a pager resets colours at each line.
std::string painted(const std::string& text, Paint paint, TextColor color);

}  // namespace torchpatch::emit
