// SPDX-License-Identifier: BSD-3-Clause
/// Unicode, slow and obvious.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace torchpatch::fuzz {

/// Returns the code points of `text`, or nothing where it is not UTF-8: every byte sequence of table 3-7 of the Unicode
/// standard is tried by encoding what it would mean.
std::optional<std::vector<char32_t>> code_points(std::string_view text);

/// Returns whether a terminal may be shown `text`: UTF-8 without control characters and bidirectional overrides.
bool is_harmless(std::string_view text);

}  // namespace torchpatch::fuzz
