// SPDX-License-Identifier: BSD-3-Clause
#include "model/licence.h"

#include <algorithm>

#include "support/json_fields.h"
#include "support/text.h"

namespace torchpatch {

extern const std::string_view kLicences;  // licences.json, as embedded by cmake/embed.cmake

FIELDS(Licence, id, names, ("text", self.text, kOptional), ("begin", self.begin, kOptional),
       ("end", self.end, kOptional), ("sha256", self.sha256, kOptional))

FIELDS(LicenceData, terms, names, boilerplate, licences)

namespace {

/// A run of consecutive words of a passage, after a gap of at most `gap` others.
struct Stretch {
  std::size_t gap = 0;
  bool owns_gap = false;
  std::vector<std::string> words;
};

std::vector<Stretch> stretches_of(std::string_view passage) {
  std::vector<Stretch> stretches(1);
  for (const std::string& word : split(passage, ' ')) {
    if (word.front() == '[' || word.front() == '{') {
      const auto gap = parse_decimal(std::string_view(word).substr(1, word.size() - 2));
      stretches.push_back({static_cast<std::size_t>(gap.value()), word.front() == '{', {}});
    } else {
      stretches.back().words.push_back(word);
    }
  }
  return stretches;
}

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

/// Returns whether no relevant word remains besides the licence with these `names`.
bool is_alone(LicenceWords& words, const std::vector<std::string>& names) {
  const LicenceData& data = licence_data();
  for (const std::string& passage : data.boilerplate) words.take(passage);
  std::vector<std::string> others = data.names;
  std::erase_if(others, [&](const std::string& name) { return std::ranges::count(names, name) > 0; });
  return !words.has_left(data.terms) && !words.has_left(others);
}

}  // namespace

LicenceWords::LicenceWords(std::string_view text) {
  std::string word;
  for (const char c : lower_case(text)) {
    if (is_word(c)) {
      word += c;
    } else if (!word.empty()) {
      words_.push_back(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) words_.push_back(std::move(word));
  is_taken_.resize(words_.size());
}

std::size_t LicenceWords::find(const std::vector<std::string>& words, std::size_t from, std::size_t last) const {
  if (words.size() > words_.size()) return kNone;
  last = std::min(last, words_.size() - words.size());
  for (std::size_t i = from; i <= last; ++i)
    if (std::equal(words.begin(), words.end(), words_.begin() + static_cast<std::ptrdiff_t>(i))) return i;
  return kNone;
}

void LicenceWords::mark(std::size_t begin, std::size_t end) {
  std::fill(is_taken_.begin() + static_cast<std::ptrdiff_t>(begin),
            is_taken_.begin() + static_cast<std::ptrdiff_t>(end), true);
}

bool LicenceWords::take(std::string_view passage) {
  const std::vector<Stretch> stretches = stretches_of(passage);
  // The first stretch may occur several times ("redistribution and use …"): try each.
  for (std::size_t start = find(stretches.front().words, 0, words_.size()); start != kNone;
       start = find(stretches.front().words, start + 1, words_.size())) {
    std::vector<std::pair<std::size_t, std::size_t>> taken;
    std::size_t end = start;
    for (const Stretch& stretch : stretches) {
      const std::size_t found = find(stretch.words, end, end + stretch.gap);
      if (found == kNone) break;
      taken.emplace_back(stretch.owns_gap ? end : found, found + stretch.words.size());
      end = taken.back().second;
    }
    if (taken.size() != stretches.size()) continue;
    for (const auto& [first, last] : taken) mark(first, last);
    return true;
  }
  return false;
}

std::string LicenceWords::take_between(std::string_view begin, std::string_view end) {
  const std::vector<std::string> last_words = split(end, ' ');
  const std::size_t first = find(split(begin, ' '), 0, words_.size());
  if (first == kNone) return {};
  std::size_t last = find(last_words, first, words_.size());
  if (last == kNone) return {};
  last += last_words.size();
  mark(first, last);
  return join({words_.begin() + static_cast<std::ptrdiff_t>(first), words_.begin() + static_cast<std::ptrdiff_t>(last)},
              " ");
}

void LicenceWords::reset() { is_taken_.assign(words_.size(), false); }

bool LicenceWords::has_left(const std::vector<std::string>& words) const {
  for (std::size_t i = 0; i < words_.size(); ++i)
    if (!is_taken_[i] && std::find(words.begin(), words.end(), words_[i]) != words.end()) return true;
  return false;
}

bool is_licence_file_name(std::string_view name) {
  const std::string lower = lower_case(name);
  for (const char* begin : {"license", "licence", "copying", "unlicense"})
    if (starts_with(lower, begin)) return true;
  return false;
}

std::string identify_licence(std::string_view text) {
  LicenceWords words(text);
  for (const Licence& licence : licence_data().licences) {
    words.reset();
    const bool is_there = licence.text.empty()
                              ? sha256(words.take_between(licence.begin, licence.end)) == licence.sha256
                              : words.take(join(licence.text, " "));
    if (is_there) return is_alone(words, licence.names) ? licence.id : "";
  }
  return {};
}

std::string common_licence(const std::vector<LicenceFile>& files) {
  if (files.empty()) return {};
  const bool is_one = std::all_of(files.begin(), files.end(), [&](const auto& file) { return file.id == files[0].id; });
  return is_one ? files[0].id : "";
}

const LicenceData& licence_data() {
  static const LicenceData kData = [] {
    Findings findings;
    auto data = read_json<LicenceData>(kLicences, "licences.json", findings);
    findings.raise_if_any("reading the embedded licences");
    return data;
  }();
  return kData;
}

}  // namespace torchpatch
