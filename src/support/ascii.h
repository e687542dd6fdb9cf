// SPDX-License-Identifier: BSD-3-Clause
/// ASCII letters, whatever the locale.
#pragma once

#include <string>
#include <string_view>

namespace torchpatch {

/// Returns `text` with A to Z as a to z; all other bytes stay.
std::string lower_case(std::string_view text);

}  // namespace torchpatch
