// SPDX-License-Identifier: BSD-3-Clause
/// Text for manual pages.
#pragma once

#include <string>
#include <string_view>

namespace torchpatch::emit {

/// Returns `text` for troff: backslashes, minus signs (a bare one becomes a hyphen), quotes that troff would bend, and
/// line starts that mean requests are escaped; lines stay.
std::string roff_text(std::string_view text);

/// The same for a name or an address, which may then break behind its signs, without a hyphen.
std::string roff_breakable(std::string_view text);

/// Returns `text` as one argument of a request, in double quotes.
std::string roff_argument(std::string_view text);

}  // namespace torchpatch::emit
