// SPDX-License-Identifier: BSD-3-Clause
#include "catalog/citations.h"

#include "catalog/fields.h"

namespace torchpatch::catalog {

namespace {

/// Fewer would stand in nearly every line.
constexpr std::size_t kMinWords = 3;

bool is_words(std::string_view text) { return kLine.holds(text) && trim(text).size() >= kMinWords; }
bool is_words_or_empty(std::string_view text) { return text.empty() || is_words(text); }
const TextRule kWords{"three characters or more of a line", is_words};
const TextRule kAbsentWords{"three characters or more, or empty for a file that is not there", is_words_or_empty};

/// Returns whether the texts of a member meet the rules for a place and for what stands there.
bool is_citation(ObjectReader& reader, const std::string& path, const std::string& place, const Json& value,
                 const TextRule& place_rule, const TextRule& words_rule) {
  if (!place_rule.holds(place))
    report_at(reader, value, path, concat(quote(place), " is not ", place_rule.description));
  else if (value.kind != Json::Kind::string)
    report_at(reader, value, path, concat("must be a string, not ", value.kind_name()));
  else if (!words_rule.holds(value.string))
    report_at(reader, value, path, concat(quote(value.string), " is not ", words_rule.description));
  else
    return true;
  return false;
}

std::vector<Citation> read_list(ObjectReader& reader, const std::string& key, const TextRule& place_rule,
                                const TextRule& words_rule) {
  std::vector<Citation> list;
  const Json* releases = reader.optional(key, Json::Kind::object);
  if (!releases) return list;
  for (const auto& [release, places] : releases->members) {
    const std::string path = concat(reader.key_path(key), '.', release);
    if (!Version::parse(release))
      report_at(reader, places, path, concat(quote(release), " is not ", form_of<Version>()));
    else if (places.kind != Json::Kind::object || places.members.empty())
      report_at(reader, places, path, "must be an object that is not empty");
    for (const auto& [place, words] : places.members)
      if (is_citation(reader, concat(path, '.', place), place, words, place_rule, words_rule))
        list.push_back({release, place, words.string});
  }
  return list;
}

}  // namespace

Citations read_citations(ObjectReader& reader) {
  return {read_list(reader, "citations", kPlace, kWords), read_list(reader, "absences", kLine, kAbsentWords),
          optional_texts(reader, "outside", kPlace)};
}

}  // namespace torchpatch::catalog
