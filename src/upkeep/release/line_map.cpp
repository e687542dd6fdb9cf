// SPDX-License-Identifier: BSD-3-Clause
#include "upkeep/release/line_map.h"

#include <algorithm>
#include <array>

#include "patch/context.h"
#include "support/text.h"

namespace torchpatch::upkeep {

namespace {

/// Words and signs of a line that are compared: what is beyond is passed over.
constexpr std::size_t kMaxTokens = 200;

bool belongs_to_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::vector<std::string> tokens_of(std::string_view line) {
  std::vector<std::string> tokens;
  for (std::size_t at = 0; at < line.size() && tokens.size() < kMaxTokens;) {
    std::size_t end = at;
    while (end < line.size() && belongs_to_word(line[end])) ++end;
    if (end == at) ++end;
    const std::string token(line.substr(at, end - at));
    if (!trim(token).empty()) tokens.push_back(token == "'" ? "\"" : token);
    at = end;
  }
  return tokens;
}

/// Returns the length of the longest common subsequence.
std::size_t common_count(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<std::size_t> row(b.size() + 1, 0);
  for (const std::string& token : a) {
    std::size_t diagonal = 0;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t above = row[j + 1];
      row[j + 1] = token == b[j] ? diagonal + 1 : std::max(above, row[j]);
      diagonal = above;
    }
  }
  return row.back();
}

}  // namespace

LineMap line_map(const std::vector<std::string>& before, const std::vector<std::string>& after) {
  LineMap map{std::vector<std::size_t>(before.size() + 1, 0), std::vector<LineRange>(before.size() + 1)};
  std::size_t old_line = 1, new_line = 1;
  const auto pass_equal = [&](std::size_t end) {
    while (old_line < end) map.same[old_line++] = new_line++;
  };
  for (const patch::Hunk& hunk : patch::diff_lines(before, after, 0)) {
    // A hunk that removes nothing stands behind the line that it names.
    pass_equal(hunk.old_count > 0 ? hunk.old_start : hunk.old_start + 1);
    const LineRange instead{new_line, new_line + hunk.new_count};
    for (std::size_t i = 0; i < hunk.old_count; ++i) map.instead[old_line++] = instead;
    new_line = instead.end;
  }
  pass_equal(before.size() + 1);
  return map;
}

double line_likeness(std::string_view a, std::string_view b) {
  const std::vector<std::string> old_tokens = tokens_of(a), new_tokens = tokens_of(b);
  const std::size_t all = old_tokens.size() + new_tokens.size();
  return all == 0 ? 1 : 2.0 * static_cast<double>(common_count(old_tokens, new_tokens)) / static_cast<double>(all);
}

bool is_comment(std::string_view line, std::string_view file) {
  static constexpr std::array<const char*, 4> kHashed = {".py", ".cmake", "CMakeLists.txt", ".sh"};
  const bool is_hashed = std::ranges::any_of(kHashed, [&](const char* ending) { return ends_with(file, ending); });
  const std::string_view text = trim(line);
  return is_hashed ? starts_with(text, "#") : starts_with(text, "//") || starts_with(text, "/*");
}

}  // namespace torchpatch::upkeep
