// SPDX-License-Identifier: BSD-3-Clause
#include "record/json.h"

namespace torchpatch::record {

namespace {

struct ExpectedJson {
  Json operator()(bool flag) const { return flag; }
  Json operator()(const VersionRange& range) const { return range.text(); }
  Json operator()(const std::vector<std::string>& texts) const {
    return texts.size() == 1 ? Json(texts.front()) : Json(texts);
  }
};

}  // namespace

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json id_or_null(const std::optional<ObjectId>& id) { return id ? Json(id->hex()) : Json(nullptr); }

Json object_json(const std::vector<std::pair<std::string, std::string>>& entries) {
  Json object = Json::object();
  for (const auto& [name, value] : entries) object[name] = value;
  return object;
}

Json condition_json(const Condition& condition) {
  Json object = Json::object();
  for (const Clause& clause : condition.clauses) object[clause.fact] = std::visit(ExpectedJson{}, clause.expected);
  return object;
}

Json sources_json(const std::vector<SourceNote>& sources) {
  Json array = Json::array();
  for (const SourceNote& note : sources) {
    array.push_back({{"keys", note.keys}, {"source", note.source}, {"verified", note.verified}});
  }
  return array;
}

Json setting_json(const PlannedSetting& setting) {
  Json object = {{"name", setting.name},
                 {"value", setting.value},
                 {"origin", setting.origin},
                 {"why", setting.why},
                 {"read_at", setting.read_at}};
  if (setting.component) object["component"] = component_name(*setting.component);
  return object;
}

}  // namespace torchpatch::record
