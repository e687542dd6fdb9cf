// SPDX-License-Identifier: BSD-3-Clause
/// find_issues(): the known issues whose symptoms a log shows. Lines of logs are compared by their words (tokenize), as
/// rules.json says (Rules), with an index of the symptoms (SymptomIndex). The documentation's pages search by the same
/// index (index_json) in a browser, src/report/site/search_engine.js; tests/data/diagnose holds both to the same cases.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/catalog.h"
#include "model/diagnosis.h"
#include "support/json.h"

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
  std::vector<std::string> plain;                    ///< words that tell nothing of an issue, wherever they stand
  std::vector<std::string> ordinary;                 ///< beginnings of lines that healthy logs have
  std::vector<std::string> ordinary_parts;           ///< parts of such lines
  std::vector<std::string> never_ordinary;           ///< parts of lines that tell of a failure, whatever else they have
  std::size_t options_of_a_command = 0;              ///< a line with so many options is a command
  std::vector<std::string> before_a_failed_command;  ///< beginnings of lines after which ninja prints it
  std::vector<std::string> errors;                   ///< parts of lines that report an error
  std::vector<std::string> consequences;             ///< parts of those that only repeat that something before failed
  std::vector<std::string> of_a_build;               ///< parts of lines that compilers, linkers and CMake print
  std::vector<std::string> of_a_run;                 ///< parts of those that Python, the loader and the kernel print
  std::vector<std::string> of_a_build_log;  ///< parts of other lines of a build, which may end as a program does
  std::vector<std::pair<std::string, std::string>> proofs;  ///< a part of a line and the fact that it proves true
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
/// quotes of any language none either; the first `most` of a line count.
std::vector<Word> tokenize(std::string_view line, std::size_t most = 200);

/// Returns whether healthy builds print such a line, too: commands, progress, status, warnings.
bool is_ordinary(std::string_view line);

/// Returns whether a line can be no more than a command or progress: no message of a tool is on it.
bool is_command(std::string_view line);

/// Returns whether the next line is the command that failed.
bool is_before_a_failed_command(std::string_view line);

/// Returns what a shell says of a process that a signal ended: "Illegal instruction" of "run.sh: line 295:   10 Illegal
/// instruction     python3 x.py"; any other line as it is.
std::string_view without_shell(std::string_view line);

/// Returns whether an ordinary line reports a failure, so that a symptom counts that stands there word for word.
bool may_be_literal(std::string_view line);

/// Returns whether a line reports an error of its own, not that a step before it failed.
bool is_error(std::string_view line);

/// Returns whether a line has a part. Not by find(), which is slow where many bytes are as the first of the part.
bool has_part(std::string_view line, const std::string& part);

/// Returns whether only a log of a build has such a line: progress, and what CMake and setup.py print.
bool is_of_a_build_log(std::string_view line);

/// Returns where a line comes from; `is_of_a_build`: a line before it is one of a build.
Origin origin_of(std::string_view line, bool is_of_a_build);

/// Returns the text with what tools say in other languages turned into English.
std::string translated(std::string text);

/// A symptom of an issue, as words with what each tells.
struct Symptom {
  const Issue* issue = nullptr;
  std::string text;
  std::vector<Word> words;
  std::vector<std::int64_t> weights;  ///< in thousandths, of each word
  std::int64_t total = 0;
  std::size_t anchor = 0;   ///< the word that tells most: without it there is no match
  std::size_t telling = 0;  ///< words that tell something; none: plain ones count together, in one run
  bool is_shared = false;   ///< other issues have the same words
};

/// Whether a word of a symptom is the beginning of a mangled name, which any name that begins so has.
bool is_mangled_prefix(const Word& word);

/// Returns how many conditions an issue has: clauses, and an end of its releases; that it is about
/// cross builds, which are rare, counts three times.
std::size_t conditions_of(const Issue& issue);

/// Symptoms by the form of their anchor. Refers to the catalog.
struct SymptomIndex {
  const Catalog* catalog = nullptr;
  std::vector<Symptom> symptoms{};
  std::map<std::string, std::vector<std::size_t>, std::less<>> by_anchor{};
  std::vector<std::size_t> by_prefix{};  ///< anchors that are beginnings of mangled names
};

SymptomIndex make_index(const Catalog& catalog);

/// Returns what the pages search by: rules and symptoms.
Json index_json(const Catalog& catalog);

/// Most issues that one search finds.
inline constexpr std::size_t kMostMatches = 12;

/// Longest text that is taken for a few words.
inline constexpr std::size_t kLongestTyped = 80;

/// For a few words that somebody types, on one line: the issues whose title or name has words that begin with them,
/// then those that need a symptom for it; one word must tell something. At most twelve.
std::vector<Match> find_by_words(const Catalog& catalog, std::string_view text);

/// Returns the issue whose title the text is, in any case and punctuation, or null.
const Issue* find_by_title(const Catalog& catalog, std::string_view text);

/// Returns the issues that a log tells of, best first, and the last error where none of them is of it; no issue where
/// nothing fits well enough. The log comes piece by piece, an empty one at its end; each is seen once, and no more is
/// kept than two lines, of each its first 64 KiB.
Diagnosis find_issues(const SymptomIndex& index, const std::function<std::string_view()>& next_piece);
std::vector<Match> find_issues(const SymptomIndex& index, std::string_view text);

/// Which of the texts that are translated stand in another one, in one pass over it.
class Translations {
 public:
  Translations() {
    const auto& all = rules().translations;
    for (std::size_t i = 0; i < all.size(); ++i) {
      std::uint8_t& group = group_of_[start_of(all[i].first, 0)];
      if (group == 0) groups_.emplace_back();
      if (group == 0) group = static_cast<std::uint8_t>(groups_.size());
      groups_[group - 1u].push_back(i);
    }
  }

  /// Returns the numbers of those that stand in it, in order.
  std::vector<std::size_t> find(std::string_view text) const {
    std::vector<std::size_t> found;
    for (std::size_t at = 0; at + 1 < text.size(); ++at) {
      const std::uint8_t group = group_of_[start_of(text, at)];
      if (group == 0) continue;
      for (const std::size_t i : groups_[group - 1u])
        if (text.substr(at).starts_with(rules().translations[i].first)) found.push_back(i);
    }
    std::ranges::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

 private:
  static std::size_t start_of(std::string_view text, std::size_t at) {
    return static_cast<std::size_t>(static_cast<unsigned char>(text[at])) << 8 |
           static_cast<unsigned char>(text[at + 1]);
  }

  std::vector<std::uint8_t> group_of_ = std::vector<std::uint8_t>(1 << 16);  ///< by the first two bytes; 0: none
  std::vector<std::vector<std::size_t>> groups_;
};

}  // namespace torchpatch::search
