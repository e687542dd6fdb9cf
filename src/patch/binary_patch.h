// SPDX-License-Identifier: BSD-3-Clause
/// "GIT binary patch": two deflated hunks in base 85, the second of which takes the first back.
#pragma once

#include <string>

#include "patch/line_reader.h"
#include "patch/patch_file.h"

namespace torchpatch::patch {

/// Reads what follows the line "GIT binary patch", which is the current one. Raises data where it is malformed or a
/// hunk has not exactly the bytes it declares; unsafe where it declares more than kMaxBinaryBytes.
BinaryChange parse_binary(LineReader& in);

/// Returns the text of a binary change, from "GIT binary patch" on.
std::string print_binary(const BinaryChange& change);

}  // namespace torchpatch::patch
