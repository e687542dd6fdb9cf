// SPDX-License-Identifier: BSD-3-Clause
#include "search/symptom_index.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace torchpatch::search {

namespace {

/// How much a word of each kind tells, in thousandths of what its rarity among the issues says.
constexpr double kPlain = 0.15, kNumber = 0.3, kTelling = 1;

bool is_number(const Word& word) { return word.form == "#"; }
bool is_plain(const Word& word) { return std::ranges::binary_search(rules().plain, word.text); }

double kind_of(const Word& word) {
  if (is_number(word)) return kNumber;
  return is_plain(word) ? kPlain : kTelling;
}

/// Returns in how many issues' symptoms a word stands.
std::map<std::string, std::set<const Issue*>> issues_with(const std::vector<Symptom>& symptoms) {
  std::map<std::string, std::set<const Issue*>> issues;
  for (const Symptom& symptom : symptoms)
    for (const Word& word : symptom.words) issues[is_number(word) ? word.text : word.form].insert(symptom.issue);
  return issues;
}

void weigh(Symptom& symptom, const std::map<std::string, std::set<const Issue*>>& issues, std::size_t count) {
  for (std::size_t i = 0; i < symptom.words.size(); ++i) {
    const Word& word = symptom.words[i];
    const auto having = static_cast<double>(issues.at(is_number(word) ? word.text : word.form).size());
    const double weight = std::log(1 + static_cast<double>(count) / having) * kind_of(word);
    symptom.weights.push_back(std::llround(1000 * weight));
    symptom.total += symptom.weights.back();
    if (kind_of(word) == kTelling) ++symptom.telling;
    if (!is_number(word) &&
        (is_number(symptom.words[symptom.anchor]) || symptom.weights[i] > symptom.weights[symptom.anchor]))
      symptom.anchor = i;
  }
}

std::string forms_of(const Symptom& symptom) {
  std::string forms;
  for (const Word& word : symptom.words) forms += (is_number(word) ? word.text : word.form) + " ";
  return forms;
}

void mark_shared(std::vector<Symptom>& symptoms) {
  std::map<std::string, std::set<const Issue*>> having;
  for (const Symptom& symptom : symptoms) having[forms_of(symptom)].insert(symptom.issue);
  for (Symptom& symptom : symptoms) symptom.is_shared = having[forms_of(symptom)].size() > 1;
}

}  // namespace

bool is_mangled_prefix(const Word& word) {
  constexpr std::size_t kLongest = 16;
  return word.text.starts_with("_z") && word.text.size() < kLongest;
}

std::size_t conditions_of(const Issue& issue) {
  const bool is_open = std::ranges::any_of(issue.releases, [](const VersionRange& range) {
    return range.text().starts_with(">=") && range.text().find('<') == std::string::npos;
  });
  const bool is_cross =
      std::ranges::any_of(issue.when.clauses, [](const Clause& each) { return each.fact == "cross"; });
  return issue.when.clauses.size() + (is_open ? 0 : 1) + (is_cross ? 2 : 0);
}

SymptomIndex make_index(const Catalog& catalog) {
  SymptomIndex index;
  for (const auto& [id, issue] : catalog.issues) {
    for (const std::string& text : issue.symptoms) {
      Symptom symptom{&issue, text, words_of(text), {}, 0, 0, 0, false};
      const bool tells = std::ranges::any_of(symptom.words, [](const Word& word) { return kind_of(word) == kTelling; });
      if ((tells || symptom.words.size() > 1) && !is_ordinary(symptom.text))
        index.symptoms.push_back(std::move(symptom));
    }
  }
  const auto issues = issues_with(index.symptoms);
  mark_shared(index.symptoms);
  for (std::size_t i = 0; i < index.symptoms.size(); ++i) {
    Symptom& symptom = index.symptoms[i];
    weigh(symptom, issues, catalog.issues.size());
    const Word& anchor = symptom.words[symptom.anchor];
    if (is_mangled_prefix(anchor))
      index.by_prefix.push_back(i);
    else
      index.by_anchor[anchor.form].push_back(i);
  }
  return index;
}

Json index_json(const Catalog& catalog) {
  Findings none;
  Json symptoms = Json::array();
  for (const Symptom& symptom : make_index(catalog).symptoms) {
    Json words = Json::array();
    for (const Word& word : symptom.words) words.push_back(word.text);
    symptoms.push_back({{"issue", symptom.issue->id},
                        {"conditions", conditions_of(*symptom.issue)},
                        {"text", symptom.text},
                        {"words", words},
                        {"weights", symptom.weights},
                        {"total", symptom.total},
                        {"anchor", symptom.anchor},
                        {"telling", symptom.telling},
                        {"shared", symptom.is_shared}});
  }
  return {{"rules", *parse_json(kRules, "rules.json", 1, none)}, {"symptoms", symptoms}};
}

}  // namespace torchpatch::search
