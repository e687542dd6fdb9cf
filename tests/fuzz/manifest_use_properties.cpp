// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/properties.h"
#include "support/edited_manifest.h"
#include "support/prepared_sample.h"
#include "support/text.h"

namespace torchpatch::fuzz {
namespace {

using test::Json;

/// Values are dumped and copied by functions that call themselves.
constexpr std::size_t kMaxValueBytes = 4096;

/// JSON, or a string as it stands.
Json value_of(const std::string& text) {
  Json value = Json::parse(text, nullptr, false);
  return value.is_discarded() ? Json(text) : value;
}

/// Makes the edit of one line; returns false where it names no place.
bool edit(Json& manifest, const std::vector<Json::json_pointer>& places, const std::string& line) {
  const std::size_t space = line.find(' ');
  if (space == std::string::npos) return false;
  const std::string name = line.substr(0, space);
  const auto number = parse_decimal(name);
  try {
    const Json::json_pointer place = number ? places[*number % places.size()] : Json::json_pointer(name);
    manifest.at(place) = value_of(line.substr(space + 1, kMaxValueBytes));
    return true;
  } catch (const Json::exception&) {
    return false;
  }
}

}  // namespace

void check_used_manifest(std::string_view input) {
  static test::PreparedSample sample(TORCHPATCH_SOURCE_DIR);
  static const Json original = Json::parse(sample.manifest());
  static const std::vector<Json::json_pointer> places = test::places_of(original, test::Elements::all);
  Json manifest = original;
  bool is_edited = false;
  for (const std::string& line : split(input, '\n')) is_edited = edit(manifest, places, line) || is_edited;
  if (is_edited) sample.use(test::manifest_bytes(manifest));
}

}  // namespace torchpatch::fuzz
