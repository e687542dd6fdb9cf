// SPDX-License-Identifier: BSD-3-Clause
#include "support/json_fields.h"

#include <set>

namespace torchpatch {

bool JsonWriter::has(const char* key, bool is_nothing, const FieldRules& rules) {
  const bool is_report = form_ == JsonForm::report;
  const bool may_be_left_out = rules.is_optional && (is_report || !rules.is_kept_if_empty);
  if (!rules.is_absent && !(may_be_left_out && is_nothing)) return true;
  if (is_report && (rules.is_null_if_nothing || rules.is_conditional)) json_[key] = nullptr;
  return false;
}

const Json* JsonReader::find(const char* key, const FieldRules& rules) {
  if (rules.is_absent) return nullptr;
  return rules.is_optional && !rules.is_conditional ? object_.optional(key) : object_.required(key);
}

void JsonReader::report_name(const JsonPlace& place, const std::vector<std::string>& names) {
  place.report(concat("must be one of ", join(names, ", "), ", not ", quote(place.value.string)));
}

void JsonReader::report_form(const JsonPlace& place, const TextRule& form) {
  const std::string finding = form.finding(place.value.string);
  form.is_policy ? place.refuse(finding) : place.report(finding);
}

bool JsonReader::read(const JsonPlace& place, std::string& text, const FieldRules& rules) {
  if (!place.is(Json::Kind::string)) return false;
  const bool is_left = rules.may_be_empty && place.value.string.empty();
  if (rules.text && !is_left && !rules.text->holds(place.value.string)) {
    report_form(place, *rules.text);
    if (!rules.text->is_policy) return false;
  }
  text = place.value.string;
  return true;
}

bool JsonReader::each_item(const JsonPlace& place, const FieldRules& rules,
                           const std::function<bool(const JsonPlace&, bool)>& read_item) {
  if (!place.is(Json::Kind::array)) return false;
  if (rules.is_not_empty && place.value.items.empty()) place.report("must not be empty");
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < place.value.items.size(); ++i) {
    const Json& value = place.value.items[i];
    const JsonPlace each{value, place.file, concat(place.path, "[", i, "]"), place.findings};
    const bool is_text = rules.is_unique && value.kind == Json::Kind::string;
    const bool is_repeated = is_text && seen.contains(value.string);
    if (!read_item(each, !is_repeated)) continue;
    if (is_repeated) each.report(concat(quote(value.string), " is listed twice"));
    if (is_text) seen.insert(value.string);
  }
  return true;
}

bool JsonReader::each_member(const JsonPlace& place, const FieldRules& rules,
                             const std::function<void(const JsonPlace&, const std::string&)>& read_member) {
  if (!place.is(Json::Kind::object)) return false;
  if (rules.is_not_empty && place.value.members.empty()) place.report("must not be empty");
  for (const auto& [name, member] : place.value.members) {
    const JsonPlace each{member, place.file, concat(place.path, ".", name), place.findings};
    if (rules.key && !rules.key->holds(name))
      each.report(rules.key->finding(name));
    else
      read_member(each, name);
  }
  return true;
}

}  // namespace torchpatch
