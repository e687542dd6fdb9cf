// SPDX-License-Identifier: BSD-3-Clause
/// The style sheets of this directory, as embedded by cmake/embed.cmake (internal).
#pragma once

#include <string_view>

namespace torchpatch::emit {

extern const std::string_view kTokensCss;  ///< colours as custom properties, light and dark; serves SVG as well
extern const std::string_view kBaseCss;    ///< everything that all pages share; needs the tokens
extern const std::string_view kPatchCss;   ///< of patch_html(); needs the tokens

}  // namespace torchpatch::emit
