// SPDX-License-Identifier: BSD-3-Clause
#include "search/find_issues.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "support/text.h"

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

constexpr std::size_t kMostMatches = 12;

struct LogLine {
  std::size_t number = 0;  // from 1
  std::string text;
  std::vector<Word> words;
};

bool is_prefix_of(const Word& wanted, const Word& word) {
  return is_mangled_prefix(wanted) && word.text.starts_with(wanted.text);
}

/// Returns what a word of a line says for one of a symptom: all, a little less where numbers in it differ, half where
/// it is another number, or nothing.
std::int64_t gain(const Word& wanted, std::int64_t weight, const Word& word) {
  if (wanted.text == word.text || is_prefix_of(wanted, word)) return weight;
  if (wanted.form != word.form) return 0;
  return wanted.form == "#" ? weight / 2 : weight * 19 / 20;
}

struct Fit {
  std::int64_t share = 0, run = 0;
};

/// Returns how well a line has the words of a symptom, in order: the share that is there, and that of the longest run
/// without anything between.
Fit align(const Symptom& symptom, const std::vector<Word>& line) {
  const std::size_t columns = line.size() + 1;
  std::vector<std::int64_t> above(columns), best(columns), run_above(columns), run(columns);
  std::int64_t longest = 0;
  for (std::size_t i = 0; i < symptom.words.size(); ++i) {
    best[0] = 0;
    run[0] = 0;
    for (std::size_t k = 1; k < columns; ++k) {
      const std::int64_t gained = gain(symptom.words[i], symptom.weights[i], line[k - 1]);
      run[k] = gained > 0 ? run_above[k - 1] + gained : 0;
      best[k] = std::max({above[k], best[k - 1], gained > 0 ? above[k - 1] + gained : 0});
      longest = std::max(longest, run[k]);
    }
    std::swap(above, best);
    std::swap(run_above, run);
  }
  return {above.back() * 1000 / symptom.total, longest * 1000 / symptom.total};
}

/// What several issues print may be of either; a word among others, and a few plain ones, may be of another cause.
bool is_sure(const Symptom& symptom, const Fit& fit, std::int64_t score) {
  const Limits& limits = rules().limits;
  if (symptom.is_shared) return false;
  if (symptom.telling == 0) return symptom.words.size() >= limits.phrase_words;
  if (score < limits.match_score) return false;
  return symptom.telling > 1 || (symptom.words.size() > 1 && fit.run >= limits.lone_run);
}

/// Returns how well a line fits a symptom, in thousandths; 0 where it does not.
std::int64_t score_of(const Symptom& symptom, const Fit& fit) {
  const Limits& limits = rules().limits;
  if (fit.share < limits.least_share || (fit.run < limits.least_run && fit.share < limits.scattered_share)) return 0;
  if (symptom.telling == 1 && symptom.words.size() > 1 && fit.share < limits.lone_share) return 0;
  if (symptom.telling == 0 && fit.run < limits.phrase_run) return 0;
  const std::int64_t told = fit.share * symptom.total / 1000;
  const std::int64_t quality = fit.share * fit.share / 1000 * (550 + 450 * fit.run / 1000) / 1000;
  return quality * told / (told + limits.half_told);
}

class Search {
 public:
  explicit Search(const SymptomIndex& index) : index_(index) {}

  /// Looks at a line alone and joined with the next, for tools wrap their messages.
  void look_at(const LogLine& line, const LogLine* next) {
    look(line, line.words, 1000);
    if (next == nullptr) return;
    std::vector<Word> joined = line.words;
    joined.insert(joined.end(), next->words.begin(), next->words.end());
    look(line, joined, 970);
  }

  std::vector<Match> matches() const {
    std::vector<Match> list;
    for (const auto& [issue, match] : best_) list.push_back(match);
    // Of equal ones the more general first: nothing says that the other's conditions hold.
    std::ranges::stable_sort(list, [](const Match& a, const Match& b) {
      return a.score != b.score ? a.score > b.score : conditions_of(*a.issue) < conditions_of(*b.issue);
    });
    if (list.empty()) return list;
    const std::int64_t top = list.front().score;
    std::erase_if(list, [&](const Match& each) { return each.score < top * rules().limits.near_best / 1000; });
    if (list.size() > kMostMatches) list.resize(kMostMatches);
    return list;
  }

 private:
  void look(const LogLine& line, const std::vector<Word>& words, std::int64_t factor) {
    std::set<std::size_t> candidates;
    for (const Word& word : words) {
      if (const auto found = index_.by_anchor.find(word.form); found != index_.by_anchor.end())
        candidates.insert(found->second.begin(), found->second.end());
      if (!word.text.starts_with("_z")) continue;
      for (const std::size_t i : index_.by_prefix)
        if (is_prefix_of(index_.symptoms[i].words[index_.symptoms[i].anchor], word)) candidates.insert(i);
    }
    for (const std::size_t i : candidates) {
      const Symptom& symptom = index_.symptoms[i];
      const Fit fit = align(symptom, words);
      std::int64_t score = score_of(symptom, fit) * factor / 1000;
      // A few plain words tell something where they are all of the line.
      const bool is_all = symptom.telling == 0 && words.size() == symptom.words.size();
      if (is_all && score > 0) score = std::max(score, rules().limits.least_score);
      if (score < rules().limits.least_score) continue;
      const auto known = best_.find(symptom.issue->id);
      // Of equal ones the later line: what ended the build stands at the end.
      if (known != best_.end() && score < known->second.score) continue;
      const Confidence confidence = is_sure(symptom, fit, score) ? Confidence::match : Confidence::possible;
      best_[symptom.issue->id] = {symptom.issue, confidence, symptom.text, line.text, line.number, score};
    }
  }

  const SymptomIndex& index_;
  std::map<std::string, Match> best_;
};

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
      Symptom symptom{&issue, text, tokenize(text), {}, 0, 0, 0, false};
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

std::vector<Match> find_issues(const SymptomIndex& index, std::string_view text) {
  const std::string english = translated(std::string(text));
  Search search(index);
  LogLine before;
  std::size_t number = 0;
  const auto look = [&](const LogLine* next) {
    if (!before.words.empty()) search.look_at(before, next);
  };
  for (const std::string& raw : split(english, '\n')) {
    LogLine line{++number, plain_line(raw), {}};
    if (!is_ordinary(line.text)) line.words = tokenize(line.text);
    look(line.words.empty() ? nullptr : &line);
    before = std::move(line);
  }
  look(nullptr);
  return search.matches();
}

}  // namespace torchpatch::search
