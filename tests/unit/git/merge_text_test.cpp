// SPDX-License-Identifier: BSD-3-Clause
#include "git/merge_text.h"

#include "support/catch.h"

using namespace torchpatch;

TEST_CASE("merge_words: merges what lines cannot, and offers nothing where words conflict as well") {
  const git::MergedText merged = git::merge_words("f(a, b);\n", "f(a, b, c);\n", "g(a, b);\n");
  CHECK(merged.is_clean);
  CHECK(merged.text == "g(a, b, c);\n");
  CHECK_FALSE(git::merge_texts({"f(a, b);\n", ""}, {"f(a, b, c);\n", ""}, {"g(a, b);\n", ""}).is_clean);
  CHECK(git::merge_words("f(a);\n", "f(b);\n", "f(c);\n").text.empty());
}
