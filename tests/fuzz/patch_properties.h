// SPDX-License-Identifier: BSD-3-Clause
/// What must hold for any bytes; the fuzz targets and the replay of their seeds call these.
#pragma once

#include <string_view>

namespace torchpatch::patch {

/// Z1: what parses is printed and parsed to the same value, and so is its reverse. Raises std::logic_error where not.
void check_parse_properties(std::string_view text);

/// Z2: a refused patch changes nothing and an accepted one leaves a well-formed tree, reads only touched_paths, and is
/// taken back exactly by its reverse. Raises std::logic_error where not.
/// The input: for each file a line "MODE PATH SIZE" and SIZE bytes with a newline behind them, an empty line, the
/// patch.
void check_apply_properties(std::string_view input);

}  // namespace torchpatch::patch
