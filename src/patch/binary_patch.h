// SPDX-License-Identifier: BSD-3-Clause
/// The base-85 of git's binary patches: five characters for four bytes, most significant first, and a letter before
/// each line for its number of bytes (1 to 52: A-Z, a-z).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "patch/patch_file.h"

namespace torchpatch::patch {

/// Returns the bytes of one line; nothing where it is malformed.
std::optional<std::string> decode_base85_line(std::string_view line);

/// Returns `bytes` as lines of up to 52 bytes, each with its newline.
std::string encode_base85_lines(std::string_view bytes);

/// Largest content that a binary patch may make, and largest inflated hunk: 64 MiB.
inline constexpr std::size_t kMaxBinaryBytes = 64u << 20;

// "GIT binary patch": two deflated hunks in base 85, the second of which takes the first back.

/// Reads what follows the line "GIT binary patch", which is the current one. Raises data where it is malformed or a
/// hunk has not exactly the bytes it declares; unsafe where it declares more than kMaxBinaryBytes.
BinaryChange parse_binary(LineReader& in);

/// Returns the text of a binary change, from "GIT binary patch" on.
std::string print_binary(const BinaryChange& change);

}  // namespace torchpatch::patch
