// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <span>

#include "patch/review.h"
#include "support/text.h"
#include "upkeep/release/add_release.h"

namespace torchpatch::upkeep {

namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }
bool continues_name(char c) { return is_capital(c) || (c >= '0' && c <= '9') || c == '_'; }
bool is_word(char c) { return continues_name(c) || (c >= 'a' && c <= 'z'); }

/// Limit of words and punctuation per line that are compared.
constexpr std::size_t kMaxTokens = 200;

std::vector<std::string> tokenize(std::string_view line) {
  std::vector<std::string> tokens;
  for (std::size_t at = 0; at < line.size() && tokens.size() < kMaxTokens;) {
    std::size_t end = at;
    while (end < line.size() && is_word(line[end])) ++end;
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

// Patterns of code that reads a variable: ~ matches any blanks, + at least one, ' a quote of either kind, | a word
// boundary, < and > the ends of the line, * the variable's name, # one that begins with USE_ or BUILD_, ! anything but
// an assignment; other characters match themselves.
constexpr std::string_view kCmakeReads[] = {"$ENV{*}",
                                            "|DEFINED+ENV{*}",
                                            "|ENV+*|",
                                            "|option(~#|",
                                            "|OPTION(~#|",
                                            "|cmake_dependent_option(~#|",
                                            "|CMAKE_DEPENDENT_OPTION(~#|"};
constexpr std::string_view kOtherReads[] = {"getenv(~'*'",
                                            "environ.get(~'*'",
                                            "check_env_flag(~'*'",
                                            "check_negative_env_flag(~'*'",
                                            "_get_build(~'*'",
                                            "environ['*']!",
                                            "'*'+in+os.environ",
                                            "'*'+not+in+os.environ",
                                            "<~'*'~>",
                                            "<~'*'~,~>",
                                            "<~'*'~)~>"};
/// Beginnings of an option whose name is on the next line.
constexpr std::string_view kOpenOption[] = {"|option(~>", "|cmake_dependent_option(~>"};

/// A position in a line; after the end it reads zeros.
struct Scanner {
  std::string_view line;
  std::size_t at = 0;
  std::string_view name = {};  ///< found by the pattern

  char next() const { return at < line.size() ? line[at] : '\0'; }
  std::size_t skip(bool (*kind)(char)) {
    const std::size_t begin = at;
    while (kind(next())) ++at;
    return at - begin;
  }
  bool take_name() {
    const std::size_t begin = at;
    const bool is_name = is_capital(next()) && skip(continues_name) > 1;
    name = line.substr(begin, at - begin);
    return is_name;
  }
  bool take_option() {
    return take_name() &&
           ((name.starts_with("USE_") && name.size() > 4) || (name.starts_with("BUILD_") && name.size() > 6));
  }
  bool is_assignment() const {
    const std::string_view rest = line.substr(std::min(line.find_first_not_of(" \t\v\f\r\n", at), line.size()));
    return rest.size() > 1 && rest[0] == '=' && rest[1] != '=';
  }
  /// Matches one character of a pattern; returns whether it matched.
  bool take(char pattern) {
    switch (pattern) {
      case '~':
        skip(is_space);
        return true;
      case '+':
        return skip(is_space) > 0;
      case '|':
        return is_word(next()) != (at > 0 && is_word(line[at - 1]));
      case '<':
        return at == 0;
      case '>':
        return at == line.size();
      case '*':
        return take_name();
      case '#':
        return take_option();
      case '!':
        return !is_assignment();
      case '\'':
        return (next() == '"' || next() == '\'') && ++at > 0;
      default:
        return next() == pattern && ++at > 0;
    }
  }
};

/// Moves the scanner past the next match of one of the patterns, or returns false.
bool find(Scanner& scanner, std::span<const std::string_view> patterns) {
  for (; scanner.at < scanner.line.size(); ++scanner.at) {
    for (const std::string_view pattern : patterns) {
      Scanner here = scanner;
      if (!std::ranges::all_of(pattern, [&here](char each) { return here.take(each); })) continue;
      scanner = here;
      return true;
    }
  }
  return false;
}

}  // namespace

LineMap line_map(const std::vector<std::string>& before, const std::vector<std::string>& after) {
  LineMap map{std::vector<std::size_t>(before.size() + 1, 0), std::vector<LineRange>(before.size() + 1)};
  std::size_t old_line = 1, new_line = 1;
  const auto pass_equal = [&](std::size_t end) {
    while (old_line < end) map.same[old_line++] = new_line++;
  };
  for (const patch::Hunk& hunk : patch::diff_lines(before, after, 0)) {
    // A hunk that removes nothing comes after the line in its header.
    pass_equal(hunk.old_count > 0 ? hunk.old_start : hunk.old_start + 1);
    const LineRange instead{new_line, new_line + hunk.new_count};
    for (std::size_t i = 0; i < hunk.old_count; ++i) map.instead[old_line++] = instead;
    new_line = instead.end;
  }
  pass_equal(before.size() + 1);
  return map;
}

double line_likeness(std::string_view a, std::string_view b) {
  const std::vector<std::string> old_tokens = tokenize(a), new_tokens = tokenize(b);
  const std::size_t all = old_tokens.size() + new_tokens.size();
  return all == 0 ? 1 : 2.0 * static_cast<double>(common_count(old_tokens, new_tokens)) / static_cast<double>(all);
}

bool is_comment(std::string_view line, std::string_view file) {
  static constexpr std::array<const char*, 4> kHashed = {".py", ".cmake", "CMakeLists.txt", ".sh"};
  const bool is_hashed = std::ranges::any_of(kHashed, [&](const char* ending) { return ends_with(file, ending); });
  const std::string_view text = trim(line);
  return is_hashed ? starts_with(text, "#") : starts_with(text, "//") || starts_with(text, "/*");
}

std::vector<ReadVariable> variables_read(const std::vector<std::string>& lines, std::string_view file) {
  const bool cmake = ends_with(file, ".cmake") || ends_with(file, "CMakeLists.txt");
  std::vector<ReadVariable> found;
  std::string open;  // an option( whose name is on the next line
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (trim(lines[i]).empty() || is_comment(lines[i], file)) continue;
    const std::string line = open + lines[i], lower = lower_case(lines[i]);
    Scanner reads{line}, opens{lower};
    while (cmake ? find(reads, kCmakeReads) : find(reads, kOtherReads))
      found.push_back({std::string(reads.name), i + 1});
    open = cmake && find(opens, kOpenOption) ? "option(" : "";
  }
  return found;
}

}  // namespace torchpatch::upkeep
