// SPDX-License-Identifier: BSD-3-Clause
#include "search/find_issues.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

#include "support/find.h"
#include "support/text.h"

namespace torchpatch::search {

namespace {

constexpr std::size_t kLongestPrefix = 16;         // of a mangled name
constexpr std::size_t kMostWordsOfCommand = 5000;  // linking a library lists each object
constexpr std::size_t kLongestTitle = 200;         // of an issue

/// How distinctive a word of each kind is, in thousandths of the weight of its rarity among issues.
constexpr double kPlain = 0.15, kNumber = 0.3, kTelling = 1;

bool is_number(const Word& word) { return word.form == "#"; }
bool is_plain(const Word& word) { return std::ranges::binary_search(rules().plain, word.text); }

double kind_of(const Word& word) {
  if (is_number(word)) return kNumber;
  return is_plain(word) ? kPlain : kTelling;
}

/// Returns for each word the issues whose symptoms contain it.
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

/// A word of a line or symptom, as numbers for its text and form; 0 for those in no symptom.
struct Token {
  std::uint32_t text = 0, form = 0;
  std::string mangled{};  ///< prefix of a mangled name; empty for other words
};

struct LogLine {
  std::size_t number = 0;  // from 1
  std::string text{};      // as in the log
  std::vector<Token> words{};
  bool is_noise = false;  // also printed by healthy builds: only a literal symptom counts
  bool is_error = false;
  bool is_of_a_build = false;  // an earlier line is from a build
  bool is_failed_command = false;
};

/// Numbers for texts, from 1.
class Numbering {
 public:
  std::uint32_t add(const std::string& text) {
    return numbers_.try_emplace(text, static_cast<std::uint32_t>(numbers_.size() + 1)).first->second;
  }
  /// Returns 0 if the text was not added.
  std::uint32_t find(const std::string& text) const {
    const auto known = numbers_.find(text);
    return known == numbers_.end() ? 0 : known->second;
  }
  std::size_t size() const { return numbers_.size() + 1; }

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

/// A set of numbers that can be cleared in constant time.
class Marks {
 public:
  explicit Marks(std::size_t size) : marked_(size) {}
  void clear() { ++current_; }
  void set(std::uint32_t number) { marked_[number] = current_; }
  bool has(std::uint32_t number) const { return number != 0 && marked_[number] == current_; }

 private:
  std::vector<std::uint64_t> marked_;
  std::uint64_t current_ = 1;
};

struct Fit {
  std::int64_t share = 0, run = 0;
};

/// A match is uncertain if several issues print it, or if it is one word among others or a few plain ones.
bool is_sure(const Symptom& symptom, const Fit& fit, std::int64_t score) {
  const Limits& limits = rules().limits;
  if (symptom.is_shared) return false;
  if (symptom.telling == 0) return symptom.words.size() >= limits.phrase_words;
  if (score < limits.match_score) return false;
  return symptom.telling > 1 || (symptom.words.size() > 1 && fit.run >= limits.lone_run);
}

/// Returns how well a line matches a symptom, in thousandths; 0 if it does not.
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
  explicit Search(const SymptomIndex& index) : index_(index) {
    for (const Symptom& symptom : index.symptoms) {
      std::vector<Token>& words = words_.emplace_back();
      for (const Word& word : symptom.words)
        words.push_back({texts_.add(word.text), forms_.add(word.form), is_mangled_prefix(word) ? word.text : ""});
    }
    number_ = forms_.find("#");
    anchored_.resize(forms_.size());
    for (const auto& [form, symptoms] : index.by_anchor) anchored_[forms_.find(form)] = symptoms;
    seen_texts_ = Marks(texts_.size());
    seen_forms_ = wanted_forms_ = Marks(forms_.size());
  }

  /// Returns the words of a plain line.
  std::vector<Token> tokens_of(std::string_view line, bool is_command) const {
    std::vector<Token> tokens;
    for (const Word& word : is_command ? tokenize(line, kMostWordsOfCommand) : tokenize(without_shell(line)))
      tokens.push_back({texts_.find(word.text), forms_.find(word.form),
                        word.text.starts_with("_z") ? word.text.substr(0, kLongestPrefix) : ""});
    return tokens;
  }

  /// Searches a line alone and joined with the next, since tools wrap their messages.
  void look_at(const LogLine& line, const LogLine* next) {
    if (line.is_error) last_error_ = LastError{{line.text, line.number}, std::exchange(joined_, std::nullopt)};
    const std::map<std::string, Match> alone = look(line, line.words, 1000);
    joined_.reset();
    if (next == nullptr || line.is_noise) return;
    std::vector<Token> words = line.words;
    words.insert(words.end(), next->words.begin(), next->words.end());
    for (const auto& [issue, match] : look(line, words, 970)) {
      // A match that needs the next line belongs to that line too.
      const auto known = alone.find(issue);
      const bool is_of_both = known == alone.end() || match.score > known->second.score;
      if (is_of_both && (!joined_ || match.score > joined_->score)) joined_ = match;
    }
  }

  Diagnosis diagnosis() const {
    Diagnosis found{.matches = matches()};
    if (!last_error_) return found;
    const std::optional<Match>& best = last_error_->best;
    if (!best) {
      if (!found.matches.empty()) found.unanswered = last_error_->line;
      return found;
    }
    // List the issue of the error that ended the build, however certain earlier ones are.
    const bool is_listed =
        std::ranges::any_of(found.matches, [&](const Match& each) { return each.issue == best->issue; });
    if (!is_listed) found.matches.insert(found.matches.begin() + 1, *best);
    return found;
  }

 private:
  struct LastError {
    LoggedLine line;
    std::optional<Match> best{};  ///< the best match for it
  };

  std::vector<Match> matches() const {
    std::vector<Match> list;
    for (const auto& [issue, match] : best_) list.push_back(match);
    // Among equal ones the more general first: the other's conditions are not known to hold.
    std::ranges::stable_sort(list, [](const Match& a, const Match& b) {
      return a.score != b.score ? a.score > b.score : conditions_of(*a.issue) < conditions_of(*b.issue);
    });
    if (list.empty()) return list;
    const std::int64_t top = list.front().score;
    std::erase_if(list, [&](const Match& each) { return each.score < top * rules().limits.near_best / 1000; });
    if (list.size() > kMostMatches) list.resize(kMostMatches);
    return list;
  }

  /// Returns the best match of each issue, and keeps it if it is the best in the log.
  std::map<std::string, Match> look(const LogLine& line, const std::vector<Token>& words, std::int64_t factor) {
    std::map<std::string, Match> found;
    for (const std::size_t i : candidates(words)) {
      const Symptom& symptom = index_.symptoms[i];
      if (most_of(i) * 1000 / symptom.total < rules().limits.least_share) continue;
      const Fit fit = align(i, words);
      if (line.is_noise && (fit.share < 1000 || fit.run < 1000)) continue;
      std::int64_t score = score_of(symptom, fit) * factor / 1000;
      // A few plain words are distinctive if they are the whole line.
      const bool is_all = symptom.telling == 0 && words.size() == symptom.words.size();
      if (is_all && score > 0) score = std::max(score, rules().limits.least_score);
      if (score < rules().limits.least_score) continue;
      const Confidence confidence = is_sure(symptom, fit, score) ? Confidence::match : Confidence::possible;
      if (line.is_noise && confidence != Confidence::match) continue;
      const Match match{symptom.issue,
                        confidence,
                        symptom.text,
                        line.text,
                        line.number,
                        score,
                        line.is_failed_command ? Origin::build : origin_of(line.text, line.is_of_a_build)};
      // Among equal ones the later line: what ended the build comes last.
      for (std::map<std::string, Match>* const best : {&found, &best_}) {
        const auto known = best->try_emplace(symptom.issue->id, match).first;
        if (score >= known->second.score) known->second = match;
      }
      if (!line.is_error) continue;
      std::optional<Match>& last = last_error_->best;
      if (!last || score > last->score) last = match;
    }
    return found;
  }

  /// Returns the symptoms whose anchor is among the words, and marks the words.
  std::vector<std::size_t> candidates(const std::vector<Token>& words) {
    std::vector<std::size_t> found;
    seen_texts_.clear();
    seen_forms_.clear();
    has_mangled_ = false;
    for (const Token& word : words) {
      if (!word.mangled.empty()) {
        has_mangled_ = true;
        for (const std::size_t i : index_.by_prefix)
          if (word.mangled.starts_with(words_[i][index_.symptoms[i].anchor].mangled)) found.push_back(i);
      }
      if (word.form != 0 && !seen_forms_.has(word.form))
        found.insert(found.end(), anchored_[word.form].begin(), anchored_[word.form].end());
      seen_forms_.set(word.form);
      seen_texts_.set(word.text);
    }
    std::ranges::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

  /// Returns the score of a word for one of a symptom's: its weight, slightly less if numbers in it differ, half if it
  /// is another number, or zero.
  std::int64_t gain(std::int64_t weight, const Token& wanted, bool is_same, bool is_alike) const {
    if (is_same) return weight;
    if (!is_alike) return 0;
    return wanted.form == number_ ? weight / 2 : weight * 19 / 20;
  }

  /// Returns an upper bound for a symptom's score with the marked words in any order.
  std::int64_t most_of(std::size_t index) const {
    std::int64_t most = 0;
    const std::vector<Token>& wanted = words_[index];
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const bool is_same = seen_texts_.has(wanted[i].text) || (has_mangled_ && !wanted[i].mangled.empty());
      most += gain(index_.symptoms[index].weights[i], wanted[i], is_same, seen_forms_.has(wanted[i].form));
    }
    return most;
  }

  /// Returns how much of a symptom a line has, in order: the share that is present, and that of the longest run without
  /// gaps. Words that the symptom does not have are skipped.
  Fit align(std::size_t index, const std::vector<Token>& line) {
    const Symptom& symptom = index_.symptoms[index];
    const std::vector<Token>& wanted = words_[index];
    wanted_forms_.clear();
    bool wants_mangled = false;
    for (const Token& word : wanted) {
      wanted_forms_.set(word.form);
      wants_mangled = wants_mangled || !word.mangled.empty();
    }
    std::vector<std::size_t> places;
    for (std::size_t k = 0; k < line.size(); ++k)
      if (wanted_forms_.has(line[k].form) || (wants_mangled && !line[k].mangled.empty())) places.push_back(k);
    const std::size_t columns = places.size() + 1;
    std::vector<std::int64_t> above(columns), best(columns), run_above(columns), run(columns);
    std::int64_t longest = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      for (std::size_t k = 1; k < columns; ++k) {
        const Token& word = line[places[k - 1]];
        const bool is_prefix = !wanted[i].mangled.empty() && word.mangled.starts_with(wanted[i].mangled);
        const std::int64_t gained =
            gain(symptom.weights[i], wanted[i], wanted[i].text == word.text || is_prefix, wanted[i].form == word.form);
        const bool follows = k > 1 && places[k - 2] + 1 == places[k - 1];
        run[k] = gained > 0 ? (follows ? run_above[k - 1] : 0) + gained : 0;
        best[k] = std::max({above[k], best[k - 1], gained > 0 ? above[k - 1] + gained : 0});
        longest = std::max(longest, run[k]);
      }
      std::swap(above, best);
      std::swap(run_above, run);
    }
    return {above.back() * 1000 / symptom.total, longest * 1000 / symptom.total};
  }

  const SymptomIndex& index_;
  Numbering texts_, forms_;
  std::vector<std::vector<Token>> words_;           ///< of each symptom
  std::vector<std::vector<std::size_t>> anchored_;  ///< symptoms by the form of their anchor
  std::uint32_t number_ = 0;                        ///< the form of numbers
  Marks seen_texts_{0}, seen_forms_{0}, wanted_forms_{0};
  bool has_mangled_ = false;
  std::map<std::string, Match> best_;
  std::optional<LastError> last_error_;
  std::optional<Match> joined_;  ///< the best that needs the next line too
};

/// Longer lines are truncated.
constexpr std::size_t kLongestLine = 64 << 10;

/// Splits a log's pieces into lines. What a carriage return overwrites and the end of an endless line are dropped.
class LogReader {
 public:
  explicit LogReader(const SymptomIndex& index) : search_(index) {}

  void read(std::string_view piece) {
    for (std::size_t end = piece.find('\n'); end != std::string_view::npos; end = piece.find('\n')) {
      add(piece.substr(0, end));
      end_line();
      piece.remove_prefix(end + 1);
    }
    add(piece);
  }

  Diagnosis finish(const Catalog& catalog) {
    end_line();
    look(nullptr);
    Diagnosis found = search_.diagnosis();
    if (texts_ == 1) add_named(catalog, found);
    found.proven = std::move(proven_);
    return found;
  }

 private:
  /// If the log is one line, puts the issue with that title first; if no symptom matched, adds issues with its words.
  void add_named(const Catalog& catalog, Diagnosis& found) const {
    if (found.matches.empty()) found.matches = find_by_words(catalog, only_text_);
    const Issue* const titled = find_by_title(catalog, only_text_);
    if (titled == nullptr) return;
    found.unanswered.reset();
    std::erase_if(found.matches, [&](const Match& each) { return each.issue == titled; });
    const std::int64_t best = found.matches.empty() ? 1000 : found.matches.front().score + 1;
    found.matches.insert(found.matches.begin(),
                         {titled, Confidence::match, titled->symptoms.front(), plain_line(only_text_), 1, best});
    if (found.matches.size() > kMostMatches) found.matches.pop_back();
  }

  void add(std::string_view part) {
    if (part.empty()) return;
    const std::size_t last = part.find_last_not_of('\r');
    if (last != std::string_view::npos) {
      const std::size_t again = part.rfind('\r', last);
      if (returns_ || again != std::string_view::npos) line_.clear();
      const std::string_view kept = part.substr(0, last + 1).substr(again == std::string_view::npos ? 0 : again + 1);
      line_ += kept.substr(0, kLongestLine - line_.size());
    }
    returns_ = part.back() == '\r';
  }

  void end_line() {
    ++number_;
    returns_ = false;
    if (line_.empty() && before_.words.empty()) return;
    LogLine line{.number = number_, .text = plain_line(std::exchange(line_, {}))};
    const std::string text = translated(line.text);
    read_signs(text, line);
    if (!line.is_noise || line.is_failed_command || may_be_literal(text))
      line.words = search_.tokens_of(text, line.is_failed_command);
    look(line.words.empty() || line.is_noise ? nullptr : &line);
    before_ = std::move(line);
  }

  /// Classifies a line, and records facts that it proves.
  void read_signs(const std::string& text, LogLine& line) {
    line.is_noise = is_ordinary(text);
    line.is_error = !line.is_noise && search::is_error(text);
    line.is_of_a_build = is_build_;
    is_build_ = is_build_ || is_of_a_build_log(text) || origin_of(text, false) == Origin::build;
    for (const auto& [part, fact] : rules().proofs)
      if (has_part(text, part)) proven_[fact] = true;
    if (trim(text).empty()) return;
    line.is_failed_command = is_command(text) && is_command_next_;
    is_command_next_ = is_before_a_failed_command(text);
    if (++texts_ == 1) only_text_ = text.substr(0, kLongestTitle);
  }

  void look(const LogLine* next) {
    if (!before_.words.empty()) search_.look_at(before_, next);
  }

  Search search_;
  LogLine before_;
  std::string line_;
  std::size_t number_ = 0;
  bool returns_ = false;          ///< the line so far ends with a carriage return
  std::size_t texts_ = 0;         ///< number of non-blank lines
  std::string only_text_;         ///< the first one
  bool is_build_ = false;         ///< an earlier line is from a build
  bool is_command_next_ = false;  ///< the one that failed
  Facts proven_;
};

}  // namespace

bool is_mangled_prefix(const Word& word) { return word.text.starts_with("_z") && word.text.size() < kLongestPrefix; }

std::size_t conditions_of(const Issue& issue) {
  const bool is_open = std::ranges::any_of(issue.releases, [](const VersionRange& range) {
    return range.text().starts_with(">=") && range.text().find('<') == std::string::npos;
  });
  const bool is_cross = std::ranges::any_of(issue.when, [](const Clause& each) { return each.fact == "cross"; });
  return issue.when.size() + (is_open ? 0 : 1) + (is_cross ? 2 : 0);
}

SymptomIndex make_index(const Catalog& catalog) {
  SymptomIndex index{.catalog = &catalog};
  for (const auto& [id, issue] : catalog.issues) {
    for (const std::string& text : issue.symptoms) {
      Symptom symptom{&issue, text, tokenize(text), {}, 0, 0, 0, false};
      const bool tells = std::ranges::any_of(symptom.words, [](const Word& word) { return kind_of(word) == kTelling; });
      const bool is_lone = symptom.words.size() == 1 && symptom.text.find_first_of(" .:'") == std::string::npos;
      if (tells || symptom.words.size() > 1 || is_lone) index.symptoms.push_back(std::move(symptom));
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

Diagnosis find_issues(const SymptomIndex& index, const std::function<std::string_view()>& next_piece) {
  LogReader reader(index);
  for (std::string_view piece = next_piece(); !piece.empty(); piece = next_piece()) reader.read(piece);
  return reader.finish(*index.catalog);
}

std::vector<Match> find_issues(const SymptomIndex& index, std::string_view text) {
  return find_issues(index, [&] { return std::exchange(text, {}); }).matches;
}

}  // namespace torchpatch::search
