// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "search/find_issues.h"
#include "support/text.h"

namespace torchpatch::search {

namespace {

std::vector<std::string> texts_of(std::string_view text) { return collect(tokenize(text), &Word::text); }

bool tells(const std::string& word) {
  return !std::ranges::binary_search(rules().plain, word) && word.find_first_not_of("0123456789.") != std::string::npos;
}

/// Returns whether each wanted word is a prefix of one of `words`.
bool have(const std::vector<std::string>& words, const std::vector<std::string>& wanted) {
  return std::ranges::all_of(wanted, [&](const std::string& begin) {
    return std::ranges::any_of(words, [&](const std::string& word) { return word.starts_with(begin); });
  });
}

/// The typed words.
struct Typed {
  std::string text;
  std::vector<std::string> words;
  bool tells = false;

  Match match_of(const Issue& issue, const std::string& symptom) const {
    return {&issue, Confidence::possible, symptom, text, 1};
  }
};

std::vector<std::string> texts_of_names(const Issue& issue) {
  std::string id = issue.id;
  replace_all(id, "-", " ");
  return texts_of(concat(issue.title, " ", id));
}

/// Returns the issue's text that matches what was typed, or null: its title, or together with that a symptom.
const std::string* answer_of(const Issue& issue, const Typed& typed, bool is_by_name) {
  const std::vector<std::string> names = texts_of_names(issue);
  const bool is_named = typed.tells && have(names, typed.words);
  if (is_by_name) return is_named ? &issue.symptoms.front() : nullptr;
  if (is_named || !typed.tells) return nullptr;
  for (const std::string& symptom : issue.symptoms) {
    std::vector<std::string> words = texts_of(symptom);
    words.insert(words.end(), names.begin(), names.end());
    if (have(words, typed.words)) return &symptom;
  }
  return nullptr;
}

}  // namespace

std::vector<Match> find_by_words(const Catalog& catalog, std::string_view text) {
  const std::string line = plain_line(trim(text));
  Typed typed{line, texts_of(line)};
  typed.tells = std::ranges::any_of(typed.words, tells);
  std::vector<Match> found;
  if (line.size() > kLongestTyped || typed.words.empty() || is_ordinary(line)) return found;
  for (const bool is_by_name : {true, false})
    for (const auto& entry : catalog.issues)
      if (const std::string* const symptom = answer_of(entry.second, typed, is_by_name);
          symptom && found.size() < kMostMatches)
        found.push_back(typed.match_of(entry.second, *symptom));
  return found;
}

const Issue* find_by_title(const Catalog& catalog, std::string_view text) {
  const std::vector<std::string> words = texts_of(plain_line(trim(text)));
  for (const auto& [id, issue] : catalog.issues)
    if (words == texts_of(issue.title)) return &issue;
  return nullptr;
}

}  // namespace torchpatch::search
