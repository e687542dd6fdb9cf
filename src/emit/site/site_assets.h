// SPDX-License-Identifier: BSD-3-Clause
/// Files of the site, as embedded by cmake/embed.cmake (internal).
#pragma once

#include <string_view>

namespace torchpatch::emit {

extern const std::string_view kSiteCss;
extern const std::string_view kSearchJs;
extern const std::string_view kCopyJs;

}  // namespace torchpatch::emit
