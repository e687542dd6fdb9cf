// SPDX-License-Identifier: BSD-3-Clause
/// Decoding UTF-8, one code point at a time.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace torchpatch {

struct CodePoint {
  char32_t value = 0;
  std::size_t length = 0;  ///< in bytes, 1 to 4
};

/// Returns the code point that begins at byte `position`, or nothing where the bytes there are not well-formed UTF-8
/// (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF) or `position` is the end.
std::optional<CodePoint> decode_utf8(std::string_view text, std::size_t position);

/// Returns the length in bytes of the longest beginning of `text` that is well-formed UTF-8.
std::size_t valid_utf8_prefix(std::string_view text);

/// Returns whether all of `text` is well-formed UTF-8.
bool is_valid_utf8(std::string_view text);

}  // namespace torchpatch
