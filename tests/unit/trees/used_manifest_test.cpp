// SPDX-License-Identifier: BSD-3-Clause
// Whatever stands in a manifest: what uses it comes to an end or says what is wrong.
#include <cstdint>
#include <cstdlib>
#include <limits>
#include "support/catch.h"

#include "support/edited_manifest.h"
#include "support/prepared_sample.h"
#include "support/source_directory.h"

namespace torchpatch::test {

namespace {

/// What is put in the place of a value. The many texts that lie deeper in lists get one each in turn.
std::vector<Json> others(const Json& value, bool is_deep, std::size_t turn) {
  const std::vector<Json> texts = {"", "x", "1.1.0.post1", std::string(70000, 'a'), "none"};
  if (value.is_string() && is_deep) return {texts[turn % texts.size()]};
  if (value.is_string()) return texts;
  if (value.is_number()) return {-1, 0, std::numeric_limits<std::int64_t>::max()};
  if (value.is_boolean()) return {!value.get<bool>()};
  if (value.is_array()) return {Json::array()};
  if (value.is_object()) return {Json::object()};
  return {"x"};
}

}  // namespace

TEST_CASE("manifest: no value in it makes its use go wrong", "[trees]") {
  PreparedSample sample(source_directory());
  CHECK(sample.use(sample.manifest()) == 4);
  const Json manifest = Json::parse(sample.manifest());
  const std::size_t every = std::getenv("ASAN_OPTIONS") ? 3 : 1;  // a sanitized program takes six times as long
  int ended = 0;
  std::size_t turn = 0, edits = 0;
  for (const Json::json_pointer& place : places_of(manifest, Elements::first)) {
    for (const Json& other : others(manifest[place], !place.parent_pointer().empty(), turn++)) {
      if (edits++ % every != 0) continue;
      INFO(place.to_string() << ": " << other.dump().substr(0, 40));
      Json edited = manifest;
      edited[place] = other;
      CHECK_NOTHROW(ended += sample.use(manifest_bytes(edited)));
    }
  }
  CHECK(ended > 0);
}

}  // namespace torchpatch::test
