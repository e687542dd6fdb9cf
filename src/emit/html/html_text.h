// SPDX-License-Identifier: BSD-3-Clause
/// Text and links of HTML (internal).
#pragma once

#include <string>
#include <string_view>

namespace torchpatch::emit {

/// Returns `text` for the content of an element or an attribute in double quotes; lines and tabs stay. What HTML cannot
/// hold or what would deceive a reader becomes visible: control characters and bidirectional overrides (CVE-2021-42574)
/// as "\u202E", bytes that are not UTF-8 as "\xFF".
std::string html_text(std::string_view text);

/// Returns `<a href="…">…</a>`; the text is escaped, and so is the address, which the caller must have judged.
std::string html_link(std::string_view href, std::string_view text);

/// Returns `<code>…</code>`.
std::string html_code(std::string_view text);

/// Returns `text` as an id for #fragments: a lower-case letter, then such, digits and single
/// hyphens; "section" where none is left.
std::string html_anchor(std::string_view text);

}  // namespace torchpatch::emit
