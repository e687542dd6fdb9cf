// SPDX-License-Identifier: BSD-3-Clause
/// Text: ASCII letters independent of the locale, UTF-8, joining (concat), quoting, splitting, digits, nearest names.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace torchpatch {

/// Replaces each `what` by `by`.
void replace_all(std::string& text, std::string_view what, std::string_view by);
/// Returns `text` with each "@NAME@" replaced by its value. A comment line that contains nothing else ("  # @NAME@") is
/// replaced by the lines of the value. Names without a value are kept.
std::string fill_template(std::string_view text, const std::map<std::string_view, std::string>& values);
/// Returns `text` with A to Z converted to a to z; other bytes are unchanged.
std::string lower_case(std::string_view text);

/// Returns whether it is an ASCII control byte.
inline bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

struct CodePoint {
  char32_t value = 0;
  std::size_t length = 0;  ///< in bytes, 1 to 4
};

/// Returns the code point at byte `position`, or nothing at the end or if the bytes are not well-formed UTF-8 (RFC
/// 3629: no overlong forms, no surrogates, nothing above U+10FFFF).
std::optional<CodePoint> decode_utf8(std::string_view text, std::size_t position);

/// Returns the length in bytes of the longest well-formed UTF-8 prefix of `text`.
std::size_t valid_utf8_prefix(std::string_view text);

bool is_valid_utf8(std::string_view text);

/// Appends a text or character unchanged, a number in the fewest decimal digits that identify it.
template <typename Part>
void append(std::string& out, const Part& part) {
  if constexpr (std::is_convertible_v<const Part&, std::string_view>) {
    out += std::string_view(part);
  } else if constexpr (std::is_same_v<Part, char>) {
    out += part;
  } else {
    static_assert(std::is_arithmetic_v<Part> && !std::is_same_v<Part, bool>, "concat accepts strings and numbers");
    char digits[32];
    out.append(digits, std::to_chars(digits, digits + sizeof digits, part).ptr);
  }
}

/// Returns the concatenated arguments, formatted by append().
template <typename... Parts>
std::string concat(const Parts&... parts) {
  std::string out;
  (append(out, parts), ...);
  return out;
}

/// Returns whether a character is invisible, moves the cursor, changes the terminal's state, breaks a line or reorders
/// text (CVE-2021-42574): controls (C0, C1), bidirectional controls, zero-width characters, tags, noncharacters.
bool is_hidden(char32_t value);

/// Returns whether `text` contains such a character, or invalid UTF-8.
bool has_hidden(std::string_view text);

/// Returns `text` with hidden characters except tabs and line feeds as "\u202E", and invalid UTF-8 as "\xFF".
std::string visible(std::string_view text);

/// Returns `name` in single quotes, with hidden characters, quotes, backslashes and invalid UTF-8 as C escapes (\n, \t,
/// \\, \', octal), so that a hostile name never reaches a terminal raw.
std::string quote(std::string_view name);

/// Returns `text` unchanged if quote() would escape nothing, else its quoted form.
std::string printable(std::string_view text);

/// Returns `text` as one word of POSIX sh: unchanged if harmless, else in single quotes.
std::string shell_quote(std::string_view text);

/// Returns the parts, separated by `separator`.
std::string join(const std::vector<std::string>& parts, std::string_view separator);
/// Splits at each `separator`; "a,,b" gives three parts, "" gives one empty part.
std::vector<std::string> split(std::string_view text, char separator);
/// Returns `text` without leading and trailing spaces, tabs, carriage returns and newlines.
std::string_view trim(std::string_view text);
inline bool starts_with(std::string_view text, std::string_view prefix) { return text.starts_with(prefix); }
inline bool ends_with(std::string_view text, std::string_view suffix) { return text.ends_with(suffix); }
/// Returns the bytes as lower-case hex digits.
std::string to_hex(std::string_view bytes);
/// Decodes lower-case hex; returns nothing for other text.
std::optional<std::string> from_hex(std::string_view hex);
/// Returns `bytes` in base64 with padding (RFC 4648 §4).
std::string base64_encode(std::string_view bytes);
/// Decodes base64; returns nothing unless base64_encode would write exactly this text.
std::optional<std::string> base64_decode(std::string_view text);
/// Parses a decimal number without sign, spaces or leading zeros (but "0"); nothing for others and on overflow.
std::optional<std::uint64_t> parse_decimal(std::string_view text);

/// Returns up to three of `candidates` that `name` may have meant, nearest first, by edit distance, ignoring case. If
/// both contain numbers that differ, they are not similar: a hint for 1.10 never suggests 1.1. `bound` is the largest
/// distance; by default a third of the name's length.
std::vector<std::string> nearest_names(std::string_view name, const std::vector<std::string>& candidates,
                                       std::optional<std::size_t> bound = std::nullopt);
/// Returns "did you mean 'a' or 'b'?", or empty text if nothing is near.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

/// Returns the lines of a text without indentation, joined: "three findings: a; b".
std::string joined_lines(const std::string& text);

/// Returns `text` for use on one comment line: control bytes, which could end the comment, become spaces.
std::string comment_text(std::string_view text);

/// Returns the UTC day of a time in seconds since 1970: "2026-11-22".
std::string day_text(std::int64_t time);

}  // namespace torchpatch
