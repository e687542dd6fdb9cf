// SPDX-License-Identifier: BSD-3-Clause
/// JSON written anew, so that what was read can be compared with what is read again.
#pragma once

#include <string>

#include "support/json.h"

namespace torchpatch::fuzz {

/// Returns `value` with each scalar, key and bracket on a line of its own, and sets the lines of its parts accordingly,
/// the first being 1.
std::string encode_on_lines(Json& value);

/// Returns whether both have the same parts on the same lines.
bool are_equal(const Json& a, const Json& b);

/// Returns the largest number of containers inside each other.
int depth_of(const Json& value);

}  // namespace torchpatch::fuzz
