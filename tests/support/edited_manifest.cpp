// SPDX-License-Identifier: BSD-3-Clause
#include "support/edited_manifest.h"

namespace torchpatch::test {
namespace {

void add_places(const Json& value, const Json::json_pointer& place, Elements elements,
                std::vector<Json::json_pointer>& places) {
  if (!place.empty()) places.push_back(place);
  if (value.is_object())
    for (const auto& [name, member] : value.items()) add_places(member, place / name, elements, places);
  for (std::size_t i = 0; value.is_array() && i < value.size(); ++i)
    if (i == 0 || elements == Elements::all) add_places(value[i], place / i, elements, places);
}

}  // namespace

std::vector<Json::json_pointer> places_of(const Json& json, Elements elements) {
  std::vector<Json::json_pointer> places;
  add_places(json, Json::json_pointer(), elements, places);
  return places;
}

std::string manifest_bytes(const Json& manifest) {
  return manifest.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace torchpatch::test
