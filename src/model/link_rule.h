// SPDX-License-Identifier: BSD-3-Clause
/// Where a page written by others may link: one rule for the catalog, which refuses the rest, and for what shows it.
#pragma once

#include <string_view>

namespace torchpatch {

/// Returns whether `href` is a link to follow: http or https with a host, mailto with an address, or a #fragment;
/// without blanks and control bytes (docs/formats.md).
bool is_safe_link(std::string_view href);

}  // namespace torchpatch
