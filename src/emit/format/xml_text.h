// SPDX-License-Identifier: BSD-3-Clause
/// Text for XML 1.0 and HTML (internal).
#pragma once

#include <string>
#include <string_view>

namespace torchpatch::emit {

/// Returns `text` for the content of an element or an attribute in double quotes. What XML cannot hold (control bytes,
/// https://www.w3.org/TR/xml/#charsets) is quoted first.
std::string xml_text(std::string_view text);

}  // namespace torchpatch::emit
