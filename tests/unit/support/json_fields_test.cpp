// SPDX-License-Identifier: BSD-3-Clause
#include "support/json_fields.h"

#include "support/catch.h"
#include "support/wire.h"

using namespace torchpatch;

using Lines = std::vector<std::string>;

namespace {

const TextRule kLowerRule{"a lower-case letter",
                          [](std::string_view text) { return text.size() == 1 && text >= "a" && text <= "z"; }};

struct Inner {
  std::string name;
  int count = 0;
};
FIELDS(Inner, name, ("count", self.count, Range{1, 5}, "how many"))

struct Outer {
  std::string text;
  std::optional<std::string> note;
  bool flag = false;
  std::vector<std::string> letters;
  std::map<std::string, std::string> by_letter;
  std::vector<std::pair<std::string, std::string>> in_order;
  std::optional<Inner> inner;
  std::vector<Inner> list;
  std::optional<Sha256> digest;
};
FIELDS(Outer, ("schema", SchemaVersion{}), text, ("note", self.note, kOptional), ("flag", self.flag, kOptional),
       ("letters", self.letters, kOptional, kLowerRule, kNotEmpty, kUnique),
       ("by_letter", self.by_letter, kOptional, KeyRule{kLowerRule}), ("in_order", self.in_order, kOptional),
       ("inner", self.inner, "null: none"), ("list", self.list, kOptional), ("digest", self.digest, kOptional),
       ("length", derived([&] { return self.text.size(); })))
void check_fields(ObjectReader& object, const Outer& outer) {
  if (outer.text == "odd") object.report("text", "is odd");
}

/// Reads a text and returns what is found wrong.
Lines reading_problems(const std::string& text) {
  Findings findings;
  read_json<Outer>(text, "f", findings);
  Lines lines;
  for (const Finding& finding : findings.list()) lines.push_back(finding.text());
  return lines;
}

const std::string kWhole =
    "{\"schema\": 1, \"text\": \"x\", \"note\": \"n\", \"flag\": true, \"letters\": [\"a\", \"b\"], \"by_letter\": "
    "{\"z\": \"1\"}, \"in_order\": {\"z\": \"1\", \"a\": \"2\"}, \"inner\": {\"name\": \"i\", \"count\": 2}, \"list\": "
    "[{\"name\": \"j\", \"count\": 5}]}";

}  // namespace

TEST_CASE("JsonReader: reads what FIELDS describes, and JsonWriter writes the same") {
  Findings findings;
  const auto read = read_json<Outer>(kWhole, "f", findings);
  CHECK(findings.empty());
  CHECK(read.letters == Lines{"a", "b"});
  CHECK(read.in_order.front().first == "z");
  CHECK(read.inner->count == 2);
  CHECK(indented_json(to_json(read), -1) == indented_json(*parse_json(kWhole, "f", 1, findings), -1));
  CHECK(from_wire<Inner>(to_wire(*read.inner)).name == "i");
}

TEST_CASE("JsonWriter: a file leaves out what is nothing, a report shows lists, objects and what is derived") {
  CHECK(indented_json(to_json(Outer{}), -1) == "{\"schema\":1,\"text\":\"\",\"inner\":null}");
  CHECK(indented_json(to_json(Outer{}, JsonForm::report), -1) ==
        "{\"schema\":1,\"text\":\"\",\"flag\":false,\"letters\":[],\"by_letter\":{},\"in_order\":{},\"inner\":null,"
        "\"list\":[],\"length\":0}");
}

TEST_CASE("JsonReader: reports all that is wrong, with lines and keys") {
  CHECK(reading_problems(
            "{\n\"schema\": 2,\n\"note\": null,\n\"flag\": \"yes\",\n\"letters\": [\"a\",\n2, \"B\", \"a\"],\n"
            "\"by_letter\": {\"k\": false, \"K\": \"1\"},\n\"inner\": {\"name\": \"i\", \"count\": 9},\n"
            "\"lst\": [],\n\"digest\": \"0g\",\n\"length\": 3}") ==
        Lines{"f:2: schema: is 2; this torchpatch reads schema 1", "f:1: text: is missing",
              "f:3: note: must be a string, not null", "f:4: flag: must be true or false, not a string",
              "f:6: letters[1]: must be a string, not an integer", "f:6: letters[2]: 'B' is not a lower-case letter",
              "f:6: letters[3]: 'a' is listed twice", "f:7: by_letter.k: must be a string, not true or false",
              "f:7: by_letter.K: 'K' is not a lower-case letter", "f:8: inner.count: must be from 1 to 5, not 9",
              "f:10: digest: '0g' is not a SHA-256 of 64 lower-case hex digits",
              "f:9: lst: unknown key; did you mean 'list'?", "f:11: length: unknown key"});
  CHECK(reading_problems("{\"schema\": 1, \"text\": \"odd\", \"inner\": null, \"letters\": []}") ==
        Lines{"f:1: letters: must not be empty", "f:1: text: is odd"});
}

TEST_CASE("JsonReader: what is no object is reported once") {
  CHECK(reading_problems("\n[1]") == Lines{"f:2: must be an object, not an array"});
  CHECK(reading_problems("{\"schema\": 1, \"text\": \"x\", \"inner\": [1]}") ==
        Lines{"f:1: inner: must be an object, not an array"});
}

TEST_CASE("ObjectReader: nested paths, and what was reported") {
  Findings findings;
  const Json value = *parse_json("{\"a\": 1}", "f", 1, findings);
  ObjectReader reader(value, "f", "patches[2]", findings);
  CHECK_FALSE(reader.is_reported("a"));
  reader.report("a", "is odd");
  CHECK(reader.is_reported("a"));
  CHECK(reader.key_path("a") == "patches[2].a");
  CHECK(findings.list()[0].key == "patches[2].a");
}
