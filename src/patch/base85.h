// SPDX-License-Identifier: BSD-3-Clause
/// The base-85 of git's binary patches: five characters for four bytes, most significant first, and a letter before
/// each line for its number of bytes (1 to 52: A-Z, a-z).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace torchpatch::patch {

/// Returns the bytes of one line; nothing where it is malformed.
std::optional<std::string> decode_base85_line(std::string_view line);

/// Returns `bytes` as lines of up to 52 bytes, each with its newline.
std::string encode_base85_lines(std::string_view bytes);

}  // namespace torchpatch::patch
