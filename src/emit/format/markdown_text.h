// SPDX-License-Identifier: BSD-3-Clause
/// Text that becomes part of a CommonMark page (internal).
#pragma once

#include <string>
#include <string_view>

namespace torchpatch::emit {

/// Returns `text` as one line of plain text: what CommonMark would read as markup is escaped, control bytes are spaces.
std::string markdown_text(std::string_view text);

/// Returns `text` as a code span, whatever backticks it has.
std::string code_span(std::string_view text);

/// Returns `text` as a fenced code block, whatever backticks it has.
std::string code_block(std::string_view text, std::string_view language);

}  // namespace torchpatch::emit
