// SPDX-License-Identifier: BSD-3-Clause
/// Text for manual pages.
#pragma once

#include <string>
#include <string_view>

#include "document/document.h"

namespace torchpatch {

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
