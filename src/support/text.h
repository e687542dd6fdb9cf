// SPDX-License-Identifier: BSD-3-Clause
/// Small text helpers: joining, quoting, splitting, nearest names.
#pragma once

#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace torchpatch {

/// Returns the arguments printed one after the other.
template <typename... Parts>
std::string concat(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

/// Returns `name` in single quotes, with control bytes, quotes, backslashes and invalid UTF-8 as C escapes,
/// so that a hostile name never reaches a terminal raw.
std::string quote(std::string_view name);

/// Returns `text` as one word of POSIX sh: unchanged if harmless, else in single quotes.
std::string shell_quote(std::string_view text);

std::string join(const std::vector<std::string>& parts, std::string_view separator);
/// Splits at each `separator`; "a,,b" gives three parts, "" gives one empty part.
std::vector<std::string> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);
bool starts_with(std::string_view text, std::string_view prefix);
bool ends_with(std::string_view text, std::string_view suffix);
bool is_valid_utf8(std::string_view text);
std::string to_hex(std::string_view bytes);
/// Returns the bytes of lower-case hex text, or nothing if it is not that.
std::optional<std::string> from_hex(std::string_view hex);
std::string base64_encode(std::string_view bytes);
std::optional<std::string> base64_decode(std::string_view text);
/// Returns the value of a decimal number without sign, spaces or leading zeros (but "0"), or nothing; never overflows.
std::optional<std::uint64_t> parse_decimal(std::string_view text);

/// Returns up to three of `candidates` that `name` may have meant, nearest first, by edit distance.
/// Where `name` and a candidate differ in their digits they are not near (design §6: hints never cross a number).
std::vector<std::string> nearest_names(std::string_view name, const std::vector<std::string>& candidates);
/// Returns "did you mean 'a' or 'b'?", or empty text where nothing is near.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace torchpatch
