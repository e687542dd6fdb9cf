// SPDX-License-Identifier: BSD-3-Clause
#include "model/citation.h"

#include <string_view>

#include "support/text.h"

namespace torchpatch {

namespace {

/// Shorter texts would occur in nearly every line.
constexpr std::size_t kMinWords = 3;

bool is_words(std::string_view text) { return kLineRule.holds(text) && trim(text).size() >= kMinWords; }
const TextRule kWords{"three characters or more of a line", is_words, "^.*\\S.*\\S.*$"};
const TextRule kAbsentWords{"three characters or more, or empty for a file that is not there",
                            [](std::string_view text) { return text.empty() || is_words(text); }, ""};

}  // namespace

std::string WrongCitation::text() const {
  return concat(file, ": ", words.empty() ? "" : concat(quote(words), " at "), place, " of ", release, ": ", found);
}

Json CitationsForm::json() const {
  Json json = Json::object();
  for (const Citation& each : citations) json[each.release][each.place] = each.words;
  return json;
}

void CitationsForm::read(const JsonPlace& place) const {
  const TextRule& place_rule = are_present ? kPlaceRule : kLineRule;
  const FieldRules rules(KeyRule{place_rule}, are_present ? kWords : kAbsentWords);
  if (!place.is(Json::Kind::object)) return;
  for (const auto& [release, places] : place.value.members) {
    const JsonPlace each{places, place.file, concat(place.path, '.', release), place.findings};
    if (!kVersionRule.holds(release))
      each.report(concat(quote(release), " is not ", kVersionRule.description));
    else if (places.kind != Json::Kind::object || places.members.empty())
      each.report("must be a non-empty object");
    std::vector<std::pair<std::string, std::string>> found;
    if (places.kind == Json::Kind::object) JsonReader::read(each, found, rules);
    for (const auto& [where, words] : found) citations.push_back({release, where, words});
  }
}

}  // namespace torchpatch
