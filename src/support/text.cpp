// SPDX-License-Identifier: BSD-3-Clause
#include "support/text.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <ctime>
#include <numeric>
#include <utility>

#include "support/find.h"

namespace torchpatch {

namespace {

/// What a lead byte determines: the sequence's length, its own payload bits, and the least value of that length.
struct Lead {
  std::size_t length;
  char32_t bits;
  char32_t minimum;
};

std::optional<Lead> read_lead(unsigned char byte) {
  if (byte < 0x80) return Lead{1, byte, 0};
  if (byte >= 0xC0 && byte < 0xE0) return Lead{2, byte & 0x1Fu, 0x80};
  if (byte >= 0xE0 && byte < 0xF0) return Lead{3, byte & 0x0Fu, 0x800};
  if (byte >= 0xF0 && byte < 0xF8) return Lead{4, byte & 0x07u, 0x10000};
  return std::nullopt;
}

/// Returns the first position from `position` where the next eight bytes (or the rest) are not all ASCII.
std::size_t skip_ascii(std::string_view text, std::size_t position) {
  for (std::uint64_t chunk = 0; position + sizeof chunk <= text.size(); position += sizeof chunk) {
    std::memcpy(&chunk, text.data() + position, sizeof chunk);
    if ((chunk & 0x8080808080808080u) != 0) break;
  }
  return position;
}

constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr std::string_view kBase64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr int kNoHexDigit = 0x100;
/// The value of each hex digit. A table, since a list of sums has more than a million digits.
constexpr std::array<short, 256> kHexValues = [] {
  std::array<short, 256> values{};
  values.fill(kNoHexDigit);
  for (std::size_t i = 0; i < kHexDigits.size(); ++i)
    values[static_cast<unsigned char>(kHexDigits[i])] = static_cast<short>(i);
  return values;
}();
int hex_value(char c) { return kHexValues[static_cast<unsigned char>(c)]; }

/// Returns the 24 bits of four base64 digits ('=' counts as zero), or nothing if there is any other character.
std::optional<std::uint32_t> decode_group(std::string_view group) {
  std::uint32_t bits = 0;
  for (const char c : group) {
    const std::size_t value = c == '=' ? 0 : kBase64Digits.find(c);
    if (value == std::string_view::npos) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
  }
  return bits;
}

void append_octal(std::string& out, std::string_view bytes) {
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += '\\';
    out += static_cast<char>('0' + (byte >> 6));
    out += static_cast<char>('0' + ((byte >> 3) & 7));
    out += static_cast<char>('0' + (byte & 7));
  }
}

std::string upper_hex(char32_t value, int digits) {
  std::string hex;
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) hex += "0123456789ABCDEF"[value >> shift & 15];
  return hex;
}

void append_escaped(std::string& out, char32_t value, std::string_view bytes) {
  if (value == '\n') {
    out += "\\n";
  } else if (value == '\t') {
    out += "\\t";
  } else if (value == '\\' || value == '\'') {
    out += '\\';
    out += bytes;
  } else if (is_hidden(value)) {
    append_octal(out, bytes);
  } else {
    out += bytes;
  }
}

bool is_harmless_in_shell(char c) {
  const bool is_alphanumeric = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return is_alphanumeric || std::string_view("_@%+=:,./-").find(c) != std::string_view::npos;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Returns the numbers in a text: "jetpack-4.6.1" gives 4, 6, 1. Not only digits: 1.10 and 1.1.0 share those.
std::vector<std::string> numbers_of(std::string_view text) {
  std::vector<std::string> numbers;
  bool in_number = false;
  for (const char c : text) {
    if (is_digit(c) && !in_number) numbers.emplace_back();
    in_number = is_digit(c);
    if (in_number) numbers.back() += c;
  }
  return numbers;
}

bool numbers_differ(std::string_view a, std::string_view b) {
  const std::vector<std::string> in_a = numbers_of(a);
  const std::vector<std::string> in_b = numbers_of(b);
  return !in_a.empty() && !in_b.empty() && in_a != in_b;
}

/// Returns the number of insertions, deletions, replacements and transpositions that turn `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last = std::exchange(last, row);
    row[0] = i;
    for (std::size_t k = 1; k <= b.size(); ++k) {
      const std::size_t replaced = last[k - 1] + (a[i - 1] == b[k - 1] ? 0 : 1);
      row[k] = std::min({replaced, last[k] + 1, row[k - 1] + 1});
      const bool is_swap = i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1];
      if (is_swap) row[k] = std::min(row[k], before_last[k - 2] + 1);
    }
  }
  return row.back();
}

}  // namespace

std::optional<CodePoint> decode_utf8(std::string_view text, std::size_t position) {
  if (position >= text.size()) return std::nullopt;
  const std::optional<Lead> lead = read_lead(static_cast<unsigned char>(text[position]));
  if (!lead || lead->length > text.size() - position) return std::nullopt;
  char32_t value = lead->bits;
  for (std::size_t i = 1; i < lead->length; ++i) {
    const auto byte = static_cast<unsigned char>(text[position + i]);
    if ((byte & 0xC0u) != 0x80) return std::nullopt;
    value = (value << 6) | (byte & 0x3Fu);
  }
  const bool is_surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < lead->minimum || value > 0x10FFFF || is_surrogate) return std::nullopt;
  return CodePoint{value, lead->length};
}

std::size_t valid_utf8_prefix(std::string_view text) {
  std::size_t position = skip_ascii(text, 0);
  while (const std::optional<CodePoint> point = decode_utf8(text, position))
    position = skip_ascii(text, position + point->length);
  return position;
}

bool is_valid_utf8(std::string_view text) { return valid_utf8_prefix(text) == text.size(); }

bool is_hidden(char32_t value) {
  const auto is_in = [&](char32_t first, char32_t last) { return value >= first && value <= last; };
  // Controls, characters that renderers may ignore (Default_Ignorable_Code_Point), and blanks other than space.
  return value < 0x20 || is_in(0x7F, 0xA0) || value == 0xAD || value == 0x34F || value == 0x61C ||
         is_in(0x115F, 0x1160) || value == 0x1680 || is_in(0x17B4, 0x17B5) || is_in(0x180B, 0x180F) ||
         is_in(0x2000, 0x200F) || is_in(0x2028, 0x202F) || is_in(0x205F, 0x206F) || value == 0x2800 ||
         value == 0x3000 || value == 0x3164 || is_in(0xFE00, 0xFE0F) || value == 0xFEFF || value == 0xFFA0 ||
         is_in(0xFFF0, 0xFFFB) || value == 0x16FE4 || is_in(0x1BCA0, 0x1BCA3) || is_in(0x1D173, 0x1D17A) ||
         is_in(0xE0000, 0xE0FFF) || is_in(0xFDD0, 0xFDEF) || (value & 0xFFFE) == 0xFFFE;
}

bool has_hidden(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] >= ' ' && text[at] <= '~') {
      ++at;
      continue;
    }
    const std::optional<CodePoint> point = decode_utf8(text, at);
    if (!point || is_hidden(point->value)) return true;
    at += point->length;
  }
  return false;
}

std::string visible(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::optional<CodePoint> point = decode_utf8(text, at);
    const std::string_view bytes = text.substr(at, point ? point->length : 1);
    at += bytes.size();
    if (!point)
      out += "\\x" + upper_hex(static_cast<unsigned char>(bytes[0]), 2);
    else if (is_hidden(point->value) && bytes != "\n" && bytes != "\t")
      out += "\\u" + upper_hex(point->value, point->value > 0xFFFF ? 6 : 4);
    else
      out += bytes;
  }
  return out;
}

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

std::string fill_template(std::string_view text, const std::map<std::string_view, std::string>& values) {
  std::string out;
  for (std::size_t begin = text.find('@'); begin != std::string::npos; begin = text.find('@')) {
    const std::size_t end = std::min(text.find('@', begin + 1), text.size());
    const std::string* const value = find_value(values, text.substr(begin + 1, end - begin - 1));
    std::size_t rest = begin + 1;
    out += text.substr(0, begin);
    if (value && end < text.size()) {
      rest = end + 1;
      const std::size_t line = out.rfind('\n') + 1;
      if (trim(std::string_view(out).substr(line)) == "#" && text.substr(rest).starts_with('\n')) {
        out.resize(line);
        ++rest;
      }
      out += *value;
    } else {
      out += '@';
    }
    text.remove_prefix(rest);
  }
  return out.append(text);
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

std::string quote(std::string_view name) {
  std::string out = "'";
  for (std::size_t position = 0; position < name.size();) {
    const std::optional<CodePoint> point = decode_utf8(name, position);
    const std::string_view bytes = name.substr(position, point ? point->length : 1);
    if (point)
      append_escaped(out, point->value, bytes);
    else
      append_octal(out, bytes);
    position += bytes.size();
  }
  out += '\'';
  return out;
}

std::string printable(std::string_view text) {
  std::string quoted = quote(text);
  return quoted.size() == text.size() + 2 ? std::string(text) : quoted;
}

std::string shell_quote(std::string_view text) {
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_harmless_in_shell)) return std::string(text);
  std::string out = "'";
  for (const char c : text)
    if (c == '\'')
      out += "'\\''";
    else
      out += c;
  out += '\'';
  return out;
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string out;
  for (const std::string& part : parts) {
    if (&part != &parts.front()) out += separator;
    out += part;
  }
  return out;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

std::vector<std::string> nearest_names(std::string_view name, const std::vector<std::string>& candidates,
                                       std::optional<std::size_t> bound) {
  constexpr std::size_t kLongestName = 200;
  constexpr std::size_t kMostNames = 3;
  if (name.empty() || name.size() > kLongestName) return {};
  const std::size_t farthest = bound.value_or(std::max<std::size_t>(1, name.size() / 3));
  const std::string wanted = lower_case(name);
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongestName || numbers_differ(name, candidate)) continue;
    const std::size_t distance = edit_distance(wanted, lower_case(candidate));
    if (distance <= farthest && distance < candidate.size()) near.emplace_back(distance, candidate);
  }
  std::sort(near.begin(), near.end());
  near.erase(std::unique(near.begin(), near.end()), near.end());
  if (near.size() > kMostNames) near.resize(kMostNames);
  std::vector<std::string> names;
  for (auto& [distance, candidate] : near) names.push_back(std::move(candidate));
  return names;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates) {
  std::string out;
  const std::vector<std::string> names = nearest_names(name, candidates);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out += i + 1 == names.size() ? " or " : ", ";
    out += quote(names[i]);
  }
  return out.empty() ? out : "did you mean " + out + "?";
}

std::string joined_lines(const std::string& text) {
  std::string joined;
  for (const std::string& line : split(text, '\n')) {
    const std::size_t begin = line.find_first_not_of(' ');
    if (begin == std::string::npos) continue;
    joined += concat(joined.empty() ? "" : ends_with(joined, ":") ? " " : "; ", line.substr(begin));
  }
  return joined;
}

std::string comment_text(std::string_view text) {
  std::string out(text);
  std::replace_if(out.begin(), out.end(), is_control, ' ');
  return out;
}

// Hex, base64 and decimal numbers: one text per value.

std::string to_hex(std::string_view bytes) {
  std::string out(2 * bytes.size(), '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    out[2 * i] = kHexDigits[byte >> 4];
    out[2 * i + 1] = kHexDigits[byte & 15];
  }
  return out;
}

std::optional<std::string> from_hex(std::string_view hex) {
  if (hex.size() % 2 != 0) return std::nullopt;
  std::string out(hex.size() / 2, '\0');
  int all = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const int byte = hex_value(hex[2 * i]) * 16 | hex_value(hex[2 * i + 1]);
    out[i] = static_cast<char>(byte);
    all |= byte;
  }
  if (all >= kNoHexDigit) return std::nullopt;
  return out;
}

std::string base64_encode(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::string_view group = bytes.substr(i, 3);
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k)
      bits = bits << 8 | (k < group.size() ? static_cast<unsigned char>(group[k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) out += k <= group.size() ? kBase64Digits[bits >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

std::optional<std::string> base64_decode(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
  if (text.find('=') < text.size() - padding) return std::nullopt;
  std::string out;
  out.reserve(text.size() / 4 * 3);
  for (std::size_t i = 0; i < text.size(); i += 4) {
    const std::optional<std::uint32_t> bits = decode_group(text.substr(i, 4));
    if (!bits) return std::nullopt;
    for (const int shift : {16, 8, 0}) out += static_cast<char>(*bits >> shift & 255);
  }
  out.erase(out.size() - padding);
  // Unused bits of the last digit must be zero, or a value would have two texts.
  if (padding > 0 &&
      base64_encode(std::string_view(out).substr(out.size() - out.size() % 3)) != text.substr(text.size() - 4))
    return std::nullopt;
  return out;
}

std::optional<std::uint64_t> parse_decimal(std::string_view text) {
  if (text.empty() || (text.size() > 1 && text.front() == '0')) return std::nullopt;
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return value;
}

std::string day_text(std::int64_t time) {
  const std::time_t seconds = time;
  std::tm parts = {};
  gmtime_r(&seconds, &parts);
  char text[32];
  return std::string(text, std::strftime(text, sizeof text, "%Y-%m-%d", &parts));
}

}  // namespace torchpatch
