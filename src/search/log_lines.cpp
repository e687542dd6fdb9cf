// SPDX-License-Identifier: BSD-3-Clause
// rules.json, and its rules for lines and words of a log.
#include <algorithm>
#include <cstring>

#include "search/find_issues.h"
#include "support/error.h"
#include "support/fields.h"
#include "support/json_fields.h"
#include "support/text.h"

namespace torchpatch::search {

FIELDS(Limits, least_share, least_run, scattered_share, lone_share, phrase_run, phrase_words, lone_run, half_told,
       least_score, match_score, near_best)
FIELDS(Rules, plain, ordinary, ordinary_parts, never_ordinary, options_of_a_command, before_a_failed_command, errors,
       consequences, of_a_build, of_a_run, of_a_build_log, proofs, limits, translations)

namespace {

Rules read_rules() {
  Findings findings;
  Rules rules = read_json<Rules>(kRules, "rules.json", findings);
  findings.raise_if_any("reading the rules of logs");
  rules.plain = split(join(rules.plain, " "), ' ');
  std::ranges::sort(rules.plain);
  return rules;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool begins_word(char c) { return is_digit(c) || is_letter(c) || c == '_'; }
bool continues_word(char c) { return begins_word(c) || c == '.' || c == '+'; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Returns whether a path ends before this byte: blanks, quotes, brackets, and non-ASCII.
bool ends_path(char c) {
  return static_cast<unsigned char>(c) <= ' ' || static_cast<unsigned char>(c) >= 0x7f ||
         std::string_view("'\"`(<>=,;:[]").find(c) != std::string_view::npos;
}

bool is_separator(char c) { return c == '/' || c == '\\'; }

/// Returns the end of the control sequence at `at`, or `at` if there is none.
std::size_t skip_control(std::string_view line, std::size_t at) {
  std::size_t end = at + 1;
  if (line[at] == '\x1b') {
    if (end < line.size() && line[end] == ']') {
      while (end < line.size() && line[end] != '\a' && line[end] != '\x1b') ++end;
      if (end < line.size()) end += line[end] == '\a' ? 1 : std::min<std::size_t>(2, line.size() - end);
      return end;
    }
    if (end < line.size() && line[end] == '[') ++end;
    while (end < line.size() && line[end] >= 0x20 && line[end] <= 0x3f) ++end;
    return std::min(line.size(), end + 1);
  }
  if (line[at] != '[') return at;  // the escape byte may have been lost
  while (end < line.size() && (is_digit(line[end]) || line[end] == ';')) ++end;
  return end < line.size() && (line[end] == 'm' || line[end] == 'K') ? end + 1 : at;
}

/// `GLIBC_2.38` → `glibc_#`, `libcudart.so.10.0` → `libcudart.so.#`, `python3.7m` → `python#m`; `vld1q_f32` stays.
std::string form_of(const std::string& word) {
  std::string form;
  for (std::size_t at = 0; at < word.size();) {
    if (!is_digit(word[at])) {
      form += word[at++];
      continue;
    }
    std::size_t end = at;
    bool has_dot = false;
    while (end < word.size() &&
           (is_digit(word[end]) || (word[end] == '.' && end + 1 < word.size() && is_digit(word[end + 1])))) {
      has_dot = has_dot || word[end] == '.';
      ++end;
    }
    const bool is_all = at == 0 && end == word.size();
    const bool is_dotted = has_dot && (at == 0 || (at > 1 && is_letter(word[at - 1]) && is_letter(word[at - 2])));
    const bool is_version = is_all || is_dotted || (at > 0 && (word[at - 1] == '_' || word[at - 1] == '.'));
    form += is_version ? "#" : word.substr(at, end - at);
    at = end;
  }
  return form;
}

bool is_address(const std::string& word) {
  return word.size() > 2 && word[0] == '0' && word[1] == 'x' &&
         word.find_first_not_of("0123456789abcdef", 2) == std::string::npos;
}

bool has_any(std::string_view line, const std::vector<std::string>& parts) {
  return std::ranges::any_of(parts, [&](const std::string& part) { return has_part(line, part); });
}

/// Matches "[ 12%] …", "[3/5231] …".
bool is_progress(std::string_view line) {
  std::size_t at = 1;
  if (!starts_with(line, "[")) return false;
  while (at < line.size() && line[at] == ' ') ++at;
  const std::size_t digits = at;
  while (at < line.size() && is_digit(line[at])) ++at;
  return at > digits && at < line.size() && (line[at] == '%' || line[at] == '/');
}

/// Removes leading blanks and the time that a build service puts before each line.
std::string_view without_time(std::string_view line) {
  if (line.size() > 28 && line[10] == 'T' && line[27] == 'Z' && is_digit(line[0])) line.remove_prefix(29);
  while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
  return line;
}

bool begins_with_any(std::string_view line, const std::vector<std::string>& beginnings) {
  line = without_time(line);
  return std::ranges::any_of(beginnings, [&](const std::string& each) { return starts_with(line, each); });
}

}  // namespace

const Rules& rules() {
  static const Rules known = read_rules();
  return known;
}

std::string plain_line(std::string_view line) {
  while (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  if (const std::size_t again = line.rfind('\r'); again != std::string_view::npos) line.remove_prefix(again + 1);
  std::string plain;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t end = line[at] == '\x1b' || line[at] == '[' ? skip_control(line, at) : at;
    if (end == at) plain += line[at++];
    at = std::max(at, end);
  }
  return plain;
}

std::vector<Word> tokenize(std::string_view line, std::size_t most) {
  std::vector<Word> words;
  for (std::size_t at = 0; at < line.size() && words.size() < most;) {
    if (ends_path(line[at])) {
      ++at;
      continue;
    }
    std::size_t end = at, begin = at;
    for (; end < line.size() && !ends_path(line[end]); ++end)
      if (is_separator(line[end]) && end + 1 < line.size() && !ends_path(line[end + 1])) begin = end + 1;
    const char before = at > 0 ? line[at - 1] : ' ';
    while (begin < end && words.size() < most) {
      if (!begins_word(line[begin])) {
        ++begin;
        continue;
      }
      Word word;
      const std::size_t first = begin;
      for (; begin < end && continues_word(line[begin]); ++begin) word.text += lower(line[begin]);
      while (word.text.back() == '.') word.text.pop_back();
      const bool is_number = word.text.find_first_not_of("0123456789.") == std::string::npos;
      const char after = begin < line.size() ? line[begin] : ' ';
      const bool is_place = is_number && first == at &&
                            ((before == ':' && begin == end) || (before == '(' && (after == ')' || after == ',')));
      if (is_place || is_address(word.text)) continue;
      word.form = form_of(word.text);
      words.push_back(std::move(word));
    }
    at = end;
  }
  return words;
}

bool is_ordinary(std::string_view line) {
  const Rules& known = rules();
  if (has_any(line, known.never_ordinary)) return false;
  return is_command(line) || has_any(line, known.ordinary_parts) || begins_with_any(line, known.ordinary);
}

bool is_before_a_failed_command(std::string_view line) {
  return begins_with_any(line, rules().before_a_failed_command);
}

std::string_view without_shell(std::string_view line) {
  constexpr std::string_view kPlace = ": line ";
  const auto skip = [&](std::size_t at, auto&& is_skipped) {
    while (at < line.size() && is_skipped(line[at])) ++at;
    return at;
  };
  const auto is_blank = [](char c) { return c == ' '; };
  const std::size_t place = line.find(kPlace);
  if (place == line.npos) return line;
  const std::size_t number = skip(place + kPlace.size(), is_digit);
  if (number == line.size() || line[number] != ':') return line;
  const std::size_t process = skip(number + 1, is_blank), after = skip(process, is_digit);
  if (process == number + 1 || after == process || after == line.size() || line[after] != ' ') return line;
  const std::string_view message = line.substr(after + 1);
  return message.substr(0, message.find("  "));
}

bool is_command(std::string_view line) {
  line = without_time(line);
  if (is_progress(line)) return true;
  std::size_t options = 0;
  for (std::size_t at = line.find(" -"); at != std::string_view::npos; at = line.find(" -", at + 2))
    if (at + 2 < line.size() && is_letter(line[at + 2])) ++options;
  return options >= rules().options_of_a_command;
}

bool may_be_literal(std::string_view line) { return has_any(line, rules().errors) && !is_command(line); }

bool is_error(std::string_view line) { return has_any(line, rules().errors) && !has_any(line, rules().consequences); }

bool has_part(std::string_view line, const std::string& part) {
  return ::memmem(line.data(), line.size(), part.data(), part.size()) != nullptr;
}

bool is_of_a_build_log(std::string_view line) { return is_progress(line) || has_any(line, rules().of_a_build_log); }

Origin origin_of(std::string_view line, bool is_of_a_build) {
  if (has_any(line, rules().of_a_build)) return Origin::build;
  return !is_of_a_build && has_any(line, rules().of_a_run) ? Origin::run : Origin::unknown;
}

std::string translated(std::string text) {
  static const Translations kTranslations;
  for (const std::size_t i : kTranslations.find(text)) {
    const auto& [foreign, english] = rules().translations[i];
    std::string result;
    std::size_t done = 0;
    for (std::size_t at = text.find(foreign); at != std::string::npos; at = text.find(foreign, done)) {
      result.append(text, done, at - done).append(english);
      done = at + foreign.size();
    }
    text = result.append(text, done);
  }
  return text;
}

}  // namespace torchpatch::search
