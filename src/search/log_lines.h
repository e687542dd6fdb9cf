// SPDX-License-Identifier: BSD-3-Clause
/// Lines of logs, and their words: what the search of known issues compares. src/report/site/search_engine.js does the
/// same in a browser; tests/data/diagnose holds both to the same cases.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace torchpatch::search {

/// In thousandths, but for numbers of words.
struct Limits {
  std::int64_t least_share = 0;      ///< of what a symptom's words tell: what a line must have
  std::int64_t least_run = 0;        ///< of it in one run, unless the share is
  std::int64_t scattered_share = 0;  ///< nearly all
  std::int64_t lone_share = 0;       ///< of symptoms with one telling word among others
  std::int64_t phrase_run = 0;       ///< of symptoms of plain words, which tell something only together
  std::size_t phrase_words = 0;      ///< how many plain words are a match
  std::int64_t lone_run = 0;         ///< of those with one telling word: to be a match
  std::int64_t half_told = 0;        ///< what a symptom tells in all where it counts half
  std::int64_t least_score = 0;
  std::int64_t match_score = 0;
  std::int64_t near_best = 0;  ///< of the best score: what is listed
};

/// rules.json: what is said of words and lines, for this program and for the documentation's pages.
struct Rules {
  std::vector<std::string> plain;           ///< words that tell nothing of an issue, wherever they stand
  std::vector<std::string> ordinary;        ///< beginnings of lines that healthy logs have
  std::vector<std::string> ordinary_parts;  ///< parts of such lines
  std::vector<std::string> never_ordinary;  ///< parts of lines that tell of a failure, whatever else they have
  std::size_t options_of_a_command = 0;     ///< a line with so many options is a command
  Limits limits;
  std::vector<std::pair<std::string, std::string>> translations;  ///< what a tool says in another language, in English
};
const Rules& rules();

extern const std::string_view kRules;  ///< rules.json, as embedded by cmake/embed.cmake

/// A word in lower case, as it stands and in the form that is compared: versions and numbers in it are `#`.
struct Word {
  std::string text;
  std::string form;
};

/// Returns what a line ends up as on a terminal: the last of what carriage returns begin anew, without colours.
std::string plain_line(std::string_view line);

/// Returns the words of a plain line. A path is its last part; addresses in memory and places in files are no words,
/// quotes of any language none either.
std::vector<Word> tokenize(std::string_view line);

/// Returns whether healthy builds print such a line, too: commands, progress, status, warnings.
bool is_ordinary(std::string_view line);

/// Returns the text with what tools say in other languages turned into English.
std::string translated(std::string text);

}  // namespace torchpatch::search
