// SPDX-License-Identifier: BSD-3-Clause
#include <functional>

#include "support/catch.h"
#include "support/json.h"

using namespace torchpatch;

using Lines = std::vector<std::string>;

namespace {

/// Reads a text with `read` and returns what is found wrong.
Lines findings_of(const std::string& text, const std::function<void(ObjectReader&)>& read) {
  Findings findings;
  const std::optional<Json> value = parse_json(text, "f", 1, findings);
  REQUIRE(value);
  ObjectReader reader(*value, "f", "", findings);
  read(reader);
  Lines lines;
  for (const Finding& finding : findings.list()) lines.push_back(finding.text());
  return lines;
}

}  // namespace

TEST_CASE("ObjectReader: reads every kind of member") {
  const std::string text =
      "{\"schema\": 1, \"s\": \"x\", \"i\": 5, \"b\": true, \"l\": [\"a\", \"b\"], \"m\": {\"z\": \"1\", \"a\": "
      "\"2\"}, \"n\": null}";
  const Lines lines = findings_of(text, [](ObjectReader& reader) {
    reader.require_schema();
    CHECK(reader.required_string("s") == "x");
    CHECK(reader.optional_string("none", "fallback") == "fallback");
    CHECK(reader.required_integer("i", 1, 5) == 5);
    CHECK(reader.optional_integer("i", 5, 9) == 5);
    CHECK_FALSE(reader.optional_integer("none", 5, 9));
    CHECK(reader.optional_boolean("b", false));
    CHECK(reader.optional_boolean("none", true));
    CHECK(reader.required_strings("l") == Lines{"a", "b"});
    CHECK(reader.optional_strings("none").empty());
    const auto map = reader.optional_string_map("m");
    REQUIRE(map.size() == 2);
    CHECK(map[0] == std::pair<std::string, std::string>("z", "1"));
    CHECK(reader.optional_any("n")->kind == Json::Kind::null);
    CHECK(reader.optional_any("none") == nullptr);
    CHECK(reader.required("l", Json::Kind::array) != nullptr);
    reader.finish();
  });
  CHECK(lines.empty());
}

TEST_CASE("ObjectReader: reports all that is wrong, with lines and keys") {
  const std::string text =
      "{\n\"s\": 1,\n\"i\": 9,\n\"l\": [\"a\",\n2],\n\"m\": {\"k\": false},\n\"b\": \"yes\",\n\"memory\": 1,\n\"x\": "
      "{}}";
  const Lines lines = findings_of(text, [](ObjectReader& reader) {
    reader.required_string("s");
    reader.required_integer("i", 1, 5);
    reader.required_strings("l");
    reader.optional_string_map("m");
    reader.optional_boolean("b", false);
    reader.required_string("absent");
    reader.optional_integer("memori", 1, 2);
    reader.report("x", "is odd");
    reader.finish();
  });
  CHECK(lines == Lines{"f:2: s: must be a string, not an integer", "f:3: i: must be from 1 to 5, not 9",
                       "f:5: l[1]: must be a string, not an integer", "f:6: m.k: must be a string, not true or false",
                       "f:7: b: must be true or false, not a string", "f:1: absent: is missing", "f:9: x: is odd",
                       "f:8: memory: unknown key; did you mean 'memori'?", "f:9: x: unknown key"});
}

TEST_CASE("ObjectReader: what is no object is reported once") {
  const Lines lines = findings_of("\n[1]", [](ObjectReader& reader) {
    CHECK(reader.required_string("s").empty());
    CHECK(reader.required_integer("i", 3, 5) == 3);
    CHECK(reader.required_strings("l").empty());
    reader.require_schema();
    reader.finish();
  });
  CHECK(lines == Lines{"f:2: must be an object, not an array"});
}

TEST_CASE("ObjectReader: a wrong kind is not also missing") {
  CHECK(findings_of("{\"s\": null}", [](ObjectReader& reader) { reader.required_string("s"); }) ==
        Lines{"f:1: s: must be a string, not null"});
}

TEST_CASE("ObjectReader: checks the schema's number") {
  const auto read = [](ObjectReader& reader) { reader.require_schema(); };
  CHECK(findings_of("{\"schema\": 1}", read).empty());
  CHECK(findings_of("{\"schema\": 2}", read) == Lines{"f:1: schema: is 2; this torchpatch reads schema 1"});
  CHECK(findings_of("{\"schema\": \"1\"}", read) == Lines{"f:1: schema: must be an integer, not a string"});
  CHECK(findings_of("{}", read) == Lines{"f:1: schema: is missing"});
}

TEST_CASE("ObjectReader: nested paths") {
  Findings findings;
  const Json value = *parse_json("{\"a\": 1}", "f", 1, findings);
  ObjectReader reader(value, "f", "patches[2]", findings);
  reader.required_string("a");
  CHECK(reader.key_path("a") == "patches[2].a");
  REQUIRE(findings.list().size() == 1);
  CHECK(findings.list()[0].key == "patches[2].a");
}
