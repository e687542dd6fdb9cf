// SPDX-License-Identifier: BSD-3-Clause
#include "support/json.h"

#include "support/catch.h"
#include "support/error.h"
#include "support/file.h"

using namespace torchpatch;

using Kind = Json::Kind;
using Lines = std::vector<std::string>;

namespace {

/// Returns the findings that a text gives, as text.
Lines findings_of(std::string_view text, int first_line = 1) {
  Findings findings;
  parse_json(text, "f", first_line, findings);
  Lines lines;
  for (const Finding& finding : findings.list()) lines.push_back(finding.text());
  return lines;
}

Json parse(std::string_view text) {
  Findings findings;
  const std::optional<Json> value = parse_json(text, "f", 1, findings);
  INFO((findings.empty() ? "" : findings.list()[0].text()));
  REQUIRE(findings.empty());
  REQUIRE(value);
  return *value;
}

std::string nested(int depth) {
  return std::string(static_cast<std::size_t>(depth), '[') + std::string(static_cast<std::size_t>(depth), ']');
}

}  // namespace

TEST_CASE("parse_json: gives values with their lines") {
  const Json root = parse("{\n  \"a\": 1,\n  \"b\": [true, null,\n    \"x\\u00e9\"],\n  \"c\":\n  {\"d\": -5\n}}\n");
  CHECK(root.kind == Kind::object);
  CHECK(root.line == 1);
  REQUIRE(root.members.size() == 3);
  CHECK(root.members[0].name == "a");
  CHECK(root.members[0].value.integer == 1);
  CHECK(root.members[0].value.line == 2);
  const Json& list = root.members[1].value;
  REQUIRE(list.items.size() == 3);
  CHECK(list.line == 3);
  CHECK(list.items[0].boolean);
  CHECK(list.items[1].kind == Kind::null);
  CHECK(list.items[2].string == "x\xC3\xA9");
  CHECK(list.items[2].line == 4);
  CHECK(root.members[2].value.line == 6);
  CHECK(root.members[2].value.members[0].value.integer == -5);
  CHECK(root.members[2].value.members[0].value.line == 6);
}

TEST_CASE("canonical_json: escapes what a reader does not see, and reads it back") {
  const std::string text = "\x1b\u202E\u009b\u200b\ufeff\x7f\U000E0041\u00e4";
  const std::string bytes = canonical_json(Json(text), "a text");
  CHECK(bytes == "\"\\u001b\\u202e\\u009b\\u200b\\ufeff\\u007f\\udb40\\udc41\u00e4\"\n");
  Findings findings;
  CHECK(parse_json(bytes, "", 1, findings)->string == text);
}

TEST_CASE("parse_json: a number at the end of its line is on that line") {
  const Json root = parse("[1\n,\n2\n]");
  CHECK(root.items[0].line == 1);
  CHECK(root.items[1].line == 3);
  CHECK(parse("7").line == 1);
  CHECK(parse("\n\n7\n").line == 3);
}

TEST_CASE("parse_json: takes every 64-bit integer and no other number") {
  CHECK(parse("9223372036854775807").integer == INT64_MAX);
  CHECK(parse("-9223372036854775808").integer == INT64_MIN);
  for (const std::string text :
       {"9223372036854775808", "18446744073709551616", "-9223372036854775809", "1.0", "1e2", "3.9"}) {
    CAPTURE(text);
    CHECK(findings_of("{\"n\":\n [0, " + text + "\n]}") == Lines{"f:2: n[1]: a number must be an integer of 64 bits"});
  }
  CHECK(findings_of("[1e400]") == Lines{"f:1: not valid JSON: number out of range"});
}

TEST_CASE("parse_json: reports every duplicate key and keeps the first") {
  Findings findings;
  const auto root =
      parse_json("{\"a\": 1,\n\"b\": {\"c\": 1, \"d\": 2,\n\"c\": 3},\n\"a\": 4,\n\"a\": 5}", "f", 1, findings);
  REQUIRE(root);
  REQUIRE(findings.list().size() == 3);
  CHECK(findings.list()[0].text() == "f:3: b.c: duplicate key");
  CHECK(findings.list()[1].text() == "f:4: a: duplicate key");
  CHECK(findings.list()[2].text() == "f:5: a: duplicate key");
  REQUIRE(root->members.size() == 2);
  CHECK(root->members[0].value.integer == 1);
  CHECK(root->members[1].value.members.size() == 2);
}

TEST_CASE("parse_json: keys that differ by case are different") {
  CHECK(parse("{\"a\": 1, \"A\": 2}").members.size() == 2);
}

TEST_CASE("parse_json: refuses nesting over 64 levels") {
  CHECK(findings_of(nested(64)).empty());
  const Lines lines = findings_of(nested(65));
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].ends_with("nested deeper than 64 levels"));
  CHECK(findings_of(std::string(1'000'000, '[')).size() == 1);
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  CHECK(findings_of(objects).size() == 1);
}

TEST_CASE("parse_json: refuses more values than its limit") {
  std::string text = "[0";
  for (int i = 0; i < 1'000'000; ++i) text += ",0";
  CHECK(findings_of(text + "]") == Lines{"f:1: more than 1000000 values"});
}

TEST_CASE("parse_json: many keys cost no quadratic time") {
  std::string text = "{\"k\": 0";
  for (int i = 0; i < 30'000; ++i) text += ",\"k" + std::to_string(i) + "\":0";
  CHECK(parse(text + "}").members.size() == 30'001);
}

TEST_CASE("parse_json: refuses long keys, which every finding below them would repeat") {
  CHECK(findings_of("{\n\"" + std::string(1024, 'k') + "\": 1}").empty());
  CHECK(findings_of("{\n\"" + std::string(1025, 'k') + "\": 1}") == Lines{"f:2: a key of more than 1024 bytes"});
}

TEST_CASE("ObjectReader: many unknown keys cost no quadratic time") {
  std::string text = "{\"k\": 0";
  for (int i = 0; i < 100'000; ++i) text += ",\"k" + std::to_string(i) + "\":0";
  const Json value = parse(text + "}");
  Findings findings;
  ObjectReader(value, "f", "", findings).finish();
  CHECK(findings.list().size() + findings.omitted() == 100'001);
}

TEST_CASE("parse_json: takes no NUL byte for the end") {
  const std::string text("{}\n\0 more", 8);
  CHECK(findings_of(text) == Lines{"f:2: not valid JSON: a NUL byte"});
}

TEST_CASE("parse_json: refuses NUL in strings and keys") {
  CHECK(findings_of("[\"a\\u0000b\",\n\"\\u0000\"]") ==
        Lines{"f:1: [0]: a string must not contain NUL", "f:2: [1]: a string must not contain NUL"});
  CHECK(findings_of("{\"a\\u0000\": 1}") == Lines{"f:1: 'a\\000': a key must not contain NUL"});
  CHECK(findings_of(std::string_view("[1,\0 2]", 7)).size() == 1);
}

TEST_CASE("parse_json: refuses other encodings") {
  CHECK(findings_of("\xEF\xBB\xBF{}") == Lines{"f:1: begins with a byte order mark; save it as UTF-8 without one"});
  CHECK(findings_of("[\n\"\xFF\"]") == Lines{"f:2: not valid UTF-8"});
  CHECK(findings_of("[\n\n\"\xED\xA0\x80\"]") == Lines{"f:3: not valid UTF-8"});
  CHECK(findings_of(std::string_view("[\0]\0", 4)).size() == 1);
  CHECK(findings_of("[\"\\ud800\"]").size() == 1);
  CHECK(findings_of("[\"\\udc00\\ud800\"]").size() == 1);
}

TEST_CASE("parse_json: syntax errors have the line, the place and the reason") {
  CHECK(findings_of("") == Lines{"f:1: not valid JSON: unexpected end of input; expected '[', '{', or a literal"});
  CHECK(findings_of("{\"a\": [1,\n2,\n]}") ==
        Lines{"f:3: not valid JSON: unexpected ']'; expected '[', '{', or a literal"});
  CHECK(findings_of("{\"a\": 1\n\"b\": 2}") == Lines{"f:2: not valid JSON: unexpected string literal; expected '}'"});
  CHECK(findings_of("{\"a\": 1,}").size() == 1);
  CHECK(findings_of("{'a': 1}").size() == 1);
  CHECK(findings_of("[1] [2]").size() == 1);
  CHECK(findings_of("[1] // comment").size() == 1);
  CHECK(findings_of("[NaN]").size() == 1);
  CHECK(findings_of("[01]").size() == 1);
  CHECK(findings_of("[\"a\nb\"]") == Lines{"f:1: not valid JSON: invalid string: control character U+000A (LF) must be "
                                           "escaped to \\u000A or \\n"});
}

TEST_CASE("parse_json: a syntax error does not repeat the input") {
  const Lines lines = findings_of("{\"a\": \"\xC2\x9B 31m; expected \x1B\"}");
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].find('\x9B') == std::string::npos);
  CHECK(lines[0].find('\x1B') == std::string::npos);
}

TEST_CASE("parse_json: lines count from the given one") {
  CHECK(findings_of("{\n\"a\": 1.5}", 10) == Lines{"f:11: a: a number must be an integer of 64 bits"});
  Findings findings;
  CHECK(parse_json("[\n1]", "f", 10, findings)->items[0].line == 11);
}

TEST_CASE("parse_json: no cut of a text is accepted") {
  const std::string text = "{\"schema\": 1, \"list\": [1, -2, true, null, \"x\\u00e9\\n\"], \"o\": {\"k\": {}}}";
  for (std::size_t size = 0; size < text.size(); ++size) {
    CAPTURE(size);
    CHECK_FALSE(findings_of(std::string_view(text).substr(0, size)).empty());
  }
  CHECK(findings_of(text).empty());
}

TEST_CASE("Findings: are raised together, by file and line") {
  Findings findings;
  findings.raise_if_any("loading");
  findings.add("b.json", 2, "k", "second");
  findings.add("b.json", 1, "", "first");
  findings.add("a.json", 0, "", "whole file");
  findings.add("", 0, "", "nowhere");
  findings.add("b.json", 1, "x\ny", "third");
  try {
    findings.raise_if_any("loading the catalog");
    FAIL("no error was raised");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::data);
    CHECK(error.message() ==
          "loading the catalog: 5 findings\n  nowhere\n  a.json: whole file\n  b.json:1: first\n"
          "  b.json:1: 'x\\ny': third\n  b.json:2: k: second");
  }
}

TEST_CASE("Findings: keep the first thousand and count the others") {
  Findings findings;
  for (int i = 0; i < 1'002; ++i) findings.add("f", i + 1, "", "wrong");
  CHECK(findings.list().size() == Findings::kMostFindings);
  CHECK(findings.omitted() == 2);
  try {
    findings.raise_if_any("loading");
    FAIL("no error was raised");
  } catch (const Error& error) {
    CHECK(error.message().starts_with("loading: 1002 findings\n  f:1: wrong\n"));
    CHECK(error.message().ends_with("\n  f:1000: wrong\n  and 2 more"));
  }
}
