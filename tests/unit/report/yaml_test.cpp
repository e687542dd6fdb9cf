// SPDX-License-Identifier: BSD-3-Clause
#include "record/matrix/parts.h"
#include "support/catch.h"
#include "support/text.h"

using namespace torchpatch;
using namespace torchpatch::record;

namespace {

constexpr const char* kHead = "# SPDX-License-Identifier: BSD-3-Clause\n# A test. Written by torchpatch.\n";

std::string yaml_of(const Json& value) {
  const std::string text = yaml("A test.", value);
  REQUIRE(starts_with(text, kHead));
  return text.substr(std::string(kHead).size());
}

}  // namespace

TEST_CASE("yaml: text that could be taken for something else is quoted") {
  for (const std::string text : {"true", "No", "on", "null", "1.8", "-", "", " a", "a ", "a: b", "a #b", "*a",
                                 "${{ x }}", "~", "\xC3\xA9", "\ttab"}) {
    INFO(text);
    CHECK(yaml_of({{"key", text}}) == concat("key: ", indented_json(Json(text), -1), "\n"));
  }
  for (const std::string text : {"a", "sh sources.sh", "actions/cache@v4", "ubuntu-24.04", "no-image"}) {
    INFO(text);
    CHECK(yaml_of({{"key", text}}) == concat("key: ", text, "\n"));
  }
  CHECK(yaml_of({{"on", Json::object()}, {"n", 3}, {"b", false}, {"none", nullptr}, {"list", Json::array()}}) ==
        "\"on\": {}\n\"n\": 3\nb: false\nnone: null\nlist: []\n");
}

TEST_CASE("yaml: lists, objects in lists, and literal blocks") {
  const Json value = {{"a", {{"b", Json::array({"x", Json::array({1, 2}), Json{{"c", 1}, {"d", {{"e", "f"}}}}})}}},
                      {"text", "one\n\n  two\n"},
                      {"open", "one\ntwo"}};
  CHECK(yaml_of(value) ==
        "a:\n  b:\n    - x\n    -\n      - 1\n      - 2\n    - c: 1\n      d:\n        e: f\n"
        "text: |\n  one\n\n    two\nopen: |-\n  one\n  two\n");
}
