// SPDX-License-Identifier: BSD-3-Clause
/// The colours of heat maps (internal). Text on them has a contrast of 4.5 or more (WCAG 2.1, 1.4.3).
#pragma once

#include <string>

namespace torchpatch::emit {

/// Returns CSS: for each kind of square the variables --<class> (its colour) and --<class>-ink (of the text on it),
/// once for light, once for dark screens.
std::string heat_map_variables();

}  // namespace torchpatch::emit
