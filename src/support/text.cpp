// SPDX-License-Identifier: BSD-3-Clause
#include "support/text.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace torchpatch {

namespace {

void append_octal(std::string& out, std::string_view bytes) {
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += '\\';
    out += static_cast<char>('0' + (byte >> 6));
    out += static_cast<char>('0' + ((byte >> 3) & 7));
    out += static_cast<char>('0' + (byte & 7));
  }
}

/// Characters that move the cursor, change the terminal's state or reorder what is read.
bool is_dangerous(char32_t value) {
  const bool is_control = value < 0x20 || (value >= 0x7F && value <= 0x9F);
  const bool is_line_break = value == 0x2028 || value == 0x2029;
  const bool is_bidirectional = value == 0x200E || value == 0x200F || value == 0x061C ||
                                (value >= 0x202A && value <= 0x202E) || (value >= 0x2066 && value <= 0x2069);
  return is_control || is_line_break || is_bidirectional;
}

void append_escaped(std::string& out, char32_t value, std::string_view bytes) {
  if (value == '\n') {
    out += "\\n";
  } else if (value == '\t') {
    out += "\\t";
  } else if (value == '\\' || value == '\'') {
    out += '\\';
    out += bytes;
  } else if (is_dangerous(value)) {
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

/// Returns the runs of digits: "jetpack-4.6.1" gives 4, 6, 1. Digits alone would not do: 1.10 and 1.1.0 share theirs.
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

/// Returns the number of insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
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

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::string quote(std::string_view name) {
  std::string out = "'";
  for (std::size_t position = 0; position < name.size();) {
    const std::optional<CodePoint> point = decode_utf8(name, position);
    const std::string_view bytes = name.substr(position, point ? point->length : 1);
    if (point) {
      append_escaped(out, point->value, bytes);
    } else {
      append_octal(out, bytes);
    }
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
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
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

bool starts_with(std::string_view text, std::string_view prefix) { return text.starts_with(prefix); }

bool ends_with(std::string_view text, std::string_view suffix) { return text.ends_with(suffix); }

std::vector<std::string> nearest_names(std::string_view name, const std::vector<std::string>& candidates) {
  constexpr std::size_t kLongestName = 200;
  constexpr std::size_t kMostNames = 3;
  if (name.empty() || name.size() > kLongestName) return {};
  const std::size_t farthest = std::max<std::size_t>(1, name.size() / 3);
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

std::string comment_text(std::string_view text) {
  std::string out(text);
  std::replace_if(out.begin(), out.end(), is_control, ' ');
  return out;
}

}  // namespace torchpatch
