// SPDX-License-Identifier: BSD-3-Clause
#include "cli/help.h"

#include "support/catch.h"

using namespace torchpatch::cli;

TEST_CASE("wrap: breaks at blanks, never inside a word") {
  CHECK(wrap("one two three", 7) == std::vector<std::string>{"one two", "three"});
  CHECK(wrap("incomprehensibilities", 5) == std::vector<std::string>{"incomprehensibilities"});
  CHECK(wrap("", 5) == std::vector<std::string>{""});
}

TEST_CASE("paragraphs: joins lines, splits at empty ones") {
  CHECK(paragraphs("a\nb\n\n\nc\n") == std::vector<std::string>{"a b", "c"});
}

TEST_CASE("two_columns: moves the right side down where the left one is too long") {
  CHECK(two_columns("-q", "quiet") == "  -q                        quiet\n");
  CHECK(two_columns("a left side that is too long", "x") ==
        "  a left side that is too long\n                            x\n");
}
