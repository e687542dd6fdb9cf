// SPDX-License-Identifier: BSD-3-Clause
/// find_issues(): the known issues that a log shows, by their symptoms (SymptomIndex). The documentation's pages search
/// by the same index (index_json).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/catalog.h"
#include "model/diagnosis.h"
#include "search/log_lines.h"
#include "support/json.h"

namespace torchpatch::search {

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
  std::vector<Symptom> symptoms;
  std::map<std::string, std::vector<std::size_t>, std::less<>> by_anchor;
  std::vector<std::size_t> by_prefix;  ///< anchors that are beginnings of mangled names
};

SymptomIndex make_index(const Catalog& catalog);

/// Returns what the pages search by: rules and symptoms.
Json index_json(const Catalog& catalog);

/// Returns the issues that a log tells of, best first; none where nothing fits well enough.
std::vector<Match> find_issues(const SymptomIndex& index, std::string_view text);

}  // namespace torchpatch::search
