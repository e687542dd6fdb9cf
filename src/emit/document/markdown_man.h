// SPDX-License-Identifier: BSD-3-Clause
/// CommonMark → troff (internal).
#pragma once

#include <string>

namespace torchpatch::emit {

/// Returns `markdown` in the macros of man(7), as cmark writes them, but with the first signs of code lines escaped
/// (cmark 0.30 takes ". build.env" in a code block for a request) and with long code spans that can break.
std::string markdown_man(const std::string& markdown);

}  // namespace torchpatch::emit
