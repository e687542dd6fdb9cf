// SPDX-License-Identifier: BSD-3-Clause
#include "patch/patch_file.h"
#include "support/catch.h"
#include "support/print_patch.h"

namespace torchpatch::patch {

TEST_CASE("quote_name: quotes as git does, and unquote_name reads it back", "[patch]") {
  struct Row {
    std::string name;
    std::string quoted;
  };
  const std::vector<Row> rows = {
      {"a/plain name", "a/plain name"},
      {"a/tab\t", "\"a/tab\\t\""},
      {"q\"", "\"q\\\"\""},
      {"b\\", "\"b\\\\\""},
      {"\x01\x7F", "\"\\001\\177\""},
      {"caf\xC3\xA9", "\"caf\\303\\251\""},
      {"\a\b\n\v\f\r", "\"\\a\\b\\n\\v\\f\\r\""},
  };
  for (const Row& row : rows) {
    CHECK(quote_name(row.name) == row.quoted);
    if (row.quoted[0] != '"') continue;
    const std::string text = row.quoted + " rest";
    const auto back = unquote_name(text);
    REQUIRE(back);
    CHECK(back->name == row.name);
    CHECK(back->rest == " rest");
  }
}

TEST_CASE("unquote_name: refuses what is not a quoted name", "[patch]") {
  for (const char* text : {"", "a", "\"", "\"a", "\"\\", "\"\\x41\"", "\"\\400\"", "\"\\12\"", "\"\\189\""}) {
    INFO(text);
    CHECK(!unquote_name(text));
  }
}

TEST_CASE("strip_component: takes one component off", "[patch]") {
  CHECK(strip_component("a/b/c") == "b/c");
  CHECK(!strip_component("a/"));
  CHECK(!strip_component("a"));
  CHECK(!strip_component("/a"));
  CHECK(!strip_component(""));
}

TEST_CASE("parse_side_name: reads names, times and /dev/null", "[patch]") {
  CHECK(parse_side_name("a/with space")->name == "with space");
  CHECK(parse_side_name("a/b c\t")->name == "b c");
  CHECK(parse_side_name("a/f\t2020-01-01")->after == "2020-01-01");
  CHECK(parse_side_name("\"a/t\\tab\"")->name == "t\tab");
  CHECK(parse_side_name("\"a/f\"\t2020")->after == "2020");
  CHECK(parse_side_name("/dev/null")->is_null);
  CHECK(parse_side_name("/dev/null\t1970")->is_null);
  // A file of the tree may have that name.
  CHECK(!parse_side_name("a/dev/null")->is_null);
  CHECK(!parse_side_name("f"));
  CHECK(!parse_side_name("/etc/passwd"));
  CHECK(!parse_side_name("\"a/f\" b"));
}

TEST_CASE("common_header_name: finds the one name on both sides", "[patch]") {
  CHECK(common_header_name("a/f b/f") == "f");
  CHECK(common_header_name("a/name with b/ inside b/name with b/ inside") == "name with b/ inside");
  CHECK(common_header_name("a/b/b/b b/b/b/b") == "b/b/b");
  CHECK(common_header_name("\"a/t\\t\" \"b/t\\t\"") == "t\t");
  CHECK(common_header_name("a/f \"b/f\"") == "f");
  CHECK(common_header_name("old/f new/f") == "f");
  CHECK(!common_header_name("a/f b/g"));
  CHECK(!common_header_name("a/f"));
  CHECK(!common_header_name("f f"));
  CHECK(!common_header_name("\"a/f\" b/g"));
  CHECK(!common_header_name("\"a/f\"b/f"));
}

TEST_CASE("header_names_are: compares both names, whatever their spaces", "[patch]") {
  CHECK(header_names_are("a/f b/g", "f", "g"));
  CHECK(header_names_are("a/a b b/c d", "a b", "c d"));
  CHECK(header_names_are("\"a/t\\t\" b/g", "t\t", "g"));
  CHECK(!header_names_are("a/f b/g", "f", "f"));
  CHECK(!header_names_are("a/f b/g", "g", "g"));
  CHECK(!header_names_are("a/ff b/g", "f", "g"));
  CHECK(!header_names_are("/f b/g", "f", "g"));
}

}  // namespace torchpatch::patch
