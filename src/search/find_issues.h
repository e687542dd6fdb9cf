// SPDX-License-Identifier: BSD-3-Clause
/// find_issues(): the known issues whose symptoms occur in a log. Compares words of log lines (tokenize) by the rules
/// in rules.json (Rules) with an index of symptoms (SymptomIndex). The documentation's pages search with the same index
/// (index_json) in src/report/site/search_engine.js; tests/data/diagnose tests both with the same cases.
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

/// Thresholds, in thousandths, except for numbers of words.
struct Limits {
  std::int64_t least_share = 0;      ///< a line must have this share of a symptom's weight
  std::int64_t least_run = 0;        ///< of it in one run, unless it has `scattered_share`
  std::int64_t scattered_share = 0;  ///< nearly all
  std::int64_t lone_share = 0;       ///< for symptoms with one distinctive word among others
  std::int64_t phrase_run = 0;       ///< for symptoms of plain words, which are distinctive only together
  std::size_t phrase_words = 0;      ///< number of plain words for a match
  std::int64_t lone_run = 0;         ///< for a match of symptoms with one distinctive word
  std::int64_t half_told = 0;        ///< total weight of a symptom that counts half
  std::int64_t least_score = 0;
  std::int64_t match_score = 0;
  std::int64_t near_best = 0;  ///< of the best score: what is listed
};

/// rules.json: rules for words and lines, for this program and for the documentation's pages.
struct Rules {
  std::vector<std::string> plain;                    ///< words that are never distinctive
  std::vector<std::string> ordinary;                 ///< prefixes of lines in healthy logs
  std::vector<std::string> ordinary_parts;           ///< parts of lines that indicate a failure in any line
  std::vector<std::string> never_ordinary;           ///< parts of lines that tell of a failure, whatever else they have
  std::size_t options_of_a_command = 0;              ///< a line with this many options is a command
  std::vector<std::string> before_a_failed_command;  ///< prefixes of lines after which ninja prints it
  std::vector<std::string> errors;                   ///< parts of lines that report an error
  std::vector<std::string> consequences;             ///< parts of lines that only repeat an earlier failure
  std::vector<std::string> of_a_build;               ///< parts of lines from compilers, linkers and CMake
  std::vector<std::string> of_a_run;                 ///< parts of lines from Python, the loader and the kernel
  std::vector<std::string> of_a_build_log;           ///< parts of other lines of a build, which may end like a program
  std::vector<std::pair<std::string, std::string>> proofs;  ///< a part of a line and the fact that it proves
  Limits limits;
  std::vector<std::pair<std::string, std::string>> translations;  ///< a tool's message translated to English
};
const Rules& rules();

extern const std::string_view kRules;  ///< rules.json, as embedded by cmake/embed.cmake

/// A word in lower case, as written and in the compared form, with `#` for versions and numbers.
struct Word {
  std::string text;
  std::string form;
};

/// Returns a line as it appears on a terminal: what carriage returns overwrite and colours are removed.
std::string plain_line(std::string_view line);

/// Returns the words of a plain line, at most `most`. A path becomes its last part; memory addresses, positions in
/// files, and quotes of any language are not words.
std::vector<Word> tokenize(std::string_view line, std::size_t most = 200);

/// Returns whether healthy builds print such lines too: commands, progress, status, warnings.
bool is_ordinary(std::string_view line);

/// Returns whether a line is a command or progress and contains no tool's message.
bool is_command(std::string_view line);

/// Returns whether the next line is the command that failed.
bool is_before_a_failed_command(std::string_view line);

/// Removes a shell's report of a process ended by a signal: "Illegal instruction" of "run.sh: line 295:   10 Illegal
/// instruction     python3 x.py"; returns other lines unchanged.
std::string_view without_shell(std::string_view line);

/// Returns whether an ordinary line reports a failure, so that a symptom that it contains literally counts.
bool may_be_literal(std::string_view line);

/// Returns whether a line reports an error itself, not the failure of an earlier step.
bool is_error(std::string_view line);

/// Returns whether a line contains a part. Not by find(), which is slow if many bytes equal the part's first.
bool has_part(std::string_view line, const std::string& part);

/// Returns whether only build logs have such a line: progress, and output of CMake and setup.py.
bool is_of_a_build_log(std::string_view line);

/// Returns a line's origin; `is_of_a_build`: an earlier line is from a build.
Origin origin_of(std::string_view line, bool is_of_a_build);

/// Translates tools' messages in other languages to English.
std::string translated(std::string text);

/// A symptom of an issue, as words with weights.
struct Symptom {
  const Issue* issue = nullptr;
  std::string text;
  std::vector<Word> words;
  std::vector<std::int64_t> weights;  ///< of each word, in thousandths
  std::int64_t total = 0;
  std::size_t anchor = 0;   ///< the most distinctive word, required for a match
  std::size_t telling = 0;  ///< number of distinctive words; 0: plain ones count together, in one run
  bool is_shared = false;   ///< other issues have the same words
};

/// Returns whether a word of a symptom is a prefix of a mangled name; it matches every name with that prefix.
bool is_mangled_prefix(const Word& word);

/// Returns the number of an issue's conditions: clauses, and an end of its releases; the clause on cross builds, which
/// are rare, counts three times.
std::size_t conditions_of(const Issue& issue);

/// Symptoms by the form of their anchor. Refers to the catalog.
struct SymptomIndex {
  const Catalog* catalog = nullptr;
  std::vector<Symptom> symptoms{};
  std::map<std::string, std::vector<std::size_t>, std::less<>> by_anchor{};
  std::vector<std::size_t> by_prefix{};  ///< anchors that are prefixes of mangled names
};

SymptomIndex make_index(const Catalog& catalog);

/// Returns the data that the pages search with: rules and symptoms.
Json index_json(const Catalog& catalog);

/// Limit of issues found by one search.
inline constexpr std::size_t kMostMatches = 12;

/// Longest text treated as a few typed words.
inline constexpr std::size_t kLongestTyped = 80;

/// Searches for a few typed words, on one line: returns issues whose title or name has words with these prefixes, then
/// those that need a symptom too; one word must be distinctive. At most twelve.
std::vector<Match> find_by_words(const Catalog& catalog, std::string_view text);

/// Returns the issue with this title, ignoring case and punctuation, or null.
const Issue* find_by_title(const Catalog& catalog, std::string_view text);

/// Returns the issues that match a log, best first, and the last error if none of them matches it; no issues if nothing
/// matches well enough. `next_piece` returns the log in pieces, an empty one at the end; each is read once, and at most
/// two lines are kept, the first 64 KiB of each.
Diagnosis find_issues(const SymptomIndex& index, const std::function<std::string_view()>& next_piece);
std::vector<Match> find_issues(const SymptomIndex& index, std::string_view text);

/// Finds all translatable texts that occur in a text, in one pass.
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

  /// Returns the indices of those that occur in it, in order.
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

  std::vector<std::uint8_t> group_of_ = std::vector<std::uint8_t>(1 << 16);  ///< by first two bytes; 0: none
  std::vector<std::vector<std::size_t>> groups_;
};

}  // namespace torchpatch::search
