// SPDX-License-Identifier: BSD-3-Clause
#include "patch/apply.h"

#include "patch/patch_file.h"
#include "support/catch.h"
#include "support/text.h"

namespace torchpatch::patch {
namespace {

Hunk hunk_of(const std::string& text) {
  LineReader in(text, "test");
  return parse_hunk(in);
}

std::string numbered(int lines) {
  std::string text;
  for (int i = 1; i <= lines; ++i) text += concat("l", i, "\n");
  return text;
}

const std::string kFile = numbered(9);
/// Changes line 5 to X, at a stated line.
std::string change_five(int line) { return concat("@@ -", line, ",3 +", line, ",3 @@\n l4\n-l5\n+X\n l6\n"); }

}  // namespace

TEST_CASE("HunkLocator: a hunk at its stated line needs no uniqueness", "[patch]") {
  const std::string text = "a\nb\nc\na\nb\nc\n\n";
  const Hunk hunk = hunk_of("@@ -4,3 +4,3 @@\n a\n-b\n+B\n c\n");
  HunkLocator locator(text);
  const auto place = locator.place(hunk);
  REQUIRE(place);
  CHECK(place->line == 3);
  CHECK(place->is_stated);
  CHECK(locator.result() == "a\nb\nc\na\nB\nc\n\n");
}

TEST_CASE("HunkLocator: off its line a hunk is placed where it fits once", "[patch]") {
  const Hunk hunk = hunk_of(change_five(7));
  HunkLocator locator(kFile);
  const auto place = locator.place(hunk);
  REQUIRE(place);
  CHECK(!place->is_stated);
  CHECK(place->offset == -3);
  CHECK(locator.result() == "l1\nl2\nl3\nl4\nX\nl6\nl7\nl8\nl9\n");
}

TEST_CASE("HunkLocator: off its line a hunk that fits twice is refused", "[patch]") {
  const std::string text = "-\na\nb\nc\na\nb\nc\n";
  const Hunk hunk = hunk_of("@@ -4,3 +4,3 @@\n a\n-b\n+B\n c\n");
  HunkLocator locator(text);
  CHECK(!locator.place(hunk));
  CHECK(locator.explain(hunk) == "it does not match at line 4 but matches several other lines, such as 2 and 5");
}

TEST_CASE("HunkLocator: no byte may differ", "[patch]") {
  for (const char* line : {"l5 ", "l5\r", "L5", "\tl5", ""}) {
    const std::string text = concat("l1\nl2\nl3\nl4\n", line, "\nl6\nl7\n");
    const Hunk hunk = hunk_of(change_five(4));
    HunkLocator locator(text);
    INFO(line);
    CHECK(!locator.place(hunk));
    CHECK(starts_with(locator.explain(hunk), "line 5 should be 'l5', but is "));
  }
}

TEST_CASE("HunkLocator: of two long lines the first difference is shown", "[patch]") {
  const std::string same(100, '='), text = same + "one" + same + "\n";
  const auto told = [&](const std::string& is, const std::string& should_be) {
    const Hunk hunk = hunk_of(concat("@@ -1 +1 @@\n-", should_be, "\n+x\n"));
    const std::string file = is + "\n";
    HunkLocator locator(file);
    CHECK(!locator.place(hunk));
    return locator.explain(hunk);
  };
  CHECK(told(same + "one" + same, same + "two" + same) ==
        concat("line 1 should be …'====================two", std::string(37, '='),
               "'…, but is …'====================one", std::string(37, '='), "'…"));
  CHECK(told(same, same + "!") == "line 1 should be …'====================!', but is …'===================='");
  CHECK(told("short", same + "!") == concat("line 1 should be '", std::string(60, '='), "'…, but is 'short'"));
  // not in the middle of a character
  const std::string euros = "€€€€€€€€€€€€€€€€€€€€€€";
  CHECK(told(euros + "1", euros + "2") == "line 1 should be …'€€€€€€€2', but is …'€€€€€€€1'");
}

TEST_CASE("HunkLocator: anchors at the beginning and the end of the file", "[patch]") {
  SECTION("a hunk that starts at line 1 fits nowhere else") {
    const std::string text = "new\n" + kFile;
    const Hunk hunk = hunk_of("@@ -1,2 +1,2 @@\n-l1\n+L1\n l2\n");
    HunkLocator locator(text);
    CHECK(!locator.place(hunk));
    CHECK(locator.explain(hunk) == "line 1 should be 'l1', but is 'new'");
  }
  SECTION("a hunk without context behind its change fits only at the end") {
    const Hunk hunk = hunk_of("@@ -4,2 +4,2 @@\n l4\n-l5\n+L5\n");
    HunkLocator locator(kFile);
    CHECK(!locator.place(hunk));
    CHECK(locator.explain(hunk) == "it matches only at the end of the file, which has 9 lines");
  }
  SECTION("and is found there") {
    const Hunk hunk = hunk_of("@@ -4,2 +4,2 @@\n l8\n-l9\n+L9\n");
    HunkLocator locator(kFile);
    REQUIRE(locator.place(hunk));
    CHECK(ends_with(locator.result(), "l8\nL9\n"));
  }
}

TEST_CASE("HunkLocator: a line without newline is another line", "[patch]") {
  const std::string marker = "\\ No newline at end of file\n";
  SECTION("the file has a newline") {
    const Hunk hunk = hunk_of("@@ -8,2 +8,2 @@\n-l8\n+L8\n l9\n" + marker);
    HunkLocator locator(kFile);
    CHECK(!locator.place(hunk));
    CHECK(locator.explain(hunk) == "line 9 should be 'l9' without newline, but is 'l9'");
  }
  SECTION("a line without newline may not be put before others") {
    const Hunk hunk = hunk_of("@@ -1,2 +1,2 @@\n l1\n-l2\n+L2\n" + marker);
    HunkLocator locator(kFile);
    CHECK(!locator.place(hunk));
  }
  SECTION("it may be taken off at the end") {
    const Hunk hunk = hunk_of("@@ -8,2 +8,2 @@\n l8\n-l9\n+l9\n" + marker);
    HunkLocator locator(kFile);
    REQUIRE(locator.place(hunk));
    CHECK(ends_with(locator.result(), "l8\nl9"));
  }
}

TEST_CASE("HunkLocator: two hunks share no line", "[patch]") {
  SECTION("overlapping context") {
    const Hunk first = hunk_of("@@ -1,4 +1,4 @@\n l1\n-l2\n+L2\n l3\n l4\n");
    const Hunk second = hunk_of("@@ -3,4 +3,4 @@\n l3\n l4\n-l5\n+L5\n l6\n");
    HunkLocator locator(kFile);
    REQUIRE(locator.place(first));
    CHECK(!locator.place(second));
    CHECK(locator.explain(second) == "line 3 is changed by another hunk as well");
  }
  SECTION("lines that another hunk added") {
    const Hunk first = hunk_of("@@ -1,3 +1,4 @@\n l1\n-l2\n+L2\n+M2\n l3\n");
    const Hunk second = hunk_of("@@ -2,2 +2,2 @@\n L2\n-M2\n+Z\n");
    HunkLocator locator(kFile);
    REQUIRE(locator.place(first));
    CHECK(!locator.place(second));
  }
}

TEST_CASE("HunkLocator: hunks behind others know how many lines these added", "[patch]") {
  const Hunk first = hunk_of("@@ -1,3 +1,5 @@\n l1\n+a\n+b\n l2\n l3\n");
  const Hunk second = hunk_of("@@ -6,3 +8,2 @@\n l6\n-l7\n l8\n");
  HunkLocator locator(kFile);
  REQUIRE(locator.place(first));
  const auto place = locator.place(second);
  REQUIRE(place);
  CHECK(place->is_stated);
  CHECK(locator.result() == "l1\na\nb\nl2\nl3\nl4\nl5\nl6\nl8\nl9\n");
}

TEST_CASE("HunkLocator: hunks out of order are placed and reported as moved", "[patch]") {
  const Hunk first = hunk_of("@@ -6,3 +6,3 @@\n l6\n-l7\n+L7\n l8\n");
  const Hunk second = hunk_of("@@ -2,3 +2,3 @@\n l2\n-l3\n+L3\n l4\n");
  HunkLocator locator(kFile);
  REQUIRE(locator.place(first));
  const auto place = locator.place(second);
  REQUIRE(place);
  CHECK(!place->is_stated);
  CHECK(locator.result() == "l1\nl2\nL3\nl4\nl5\nl6\nL7\nl8\nl9\n");
}

TEST_CASE("HunkLocator: without context", "[patch]") {
  SECTION("lines are not put at the end of the file, where git apply puts them") {
    const Hunk hunk = hunk_of("@@ -4,0 +5 @@\n+new\n");
    HunkLocator locator(kFile);
    CHECK(!locator.place(hunk));
    CHECK(locator.explain(hunk) ==
          "lines without context can only be added at the end of the file, at its stated line");
  }
  SECTION("they may be appended at their stated line") {
    const Hunk hunk = hunk_of("@@ -9,0 +10 @@\n+new\n");
    HunkLocator locator(kFile);
    REQUIRE(locator.place(hunk));
    CHECK(locator.result() == kFile + "new\n");
  }
  SECTION("but not behind a line without newline") {
    const std::string text = "l1\nl2";
    const Hunk hunk = hunk_of("@@ -2,0 +3 @@\n+new\n");
    HunkLocator locator(text);
    CHECK(!locator.place(hunk));
  }
  SECTION("an empty file has one place") {
    const Hunk hunk = hunk_of("@@ -3,0 +4 @@\n+new\n");
    HunkLocator locator("");
    REQUIRE(locator.place(hunk));
    CHECK(locator.result() == "new\n");
  }
  SECTION("a whole file is replaced") {
    const Hunk hunk = hunk_of("@@ -1,2 +1 @@\n-a\n-b\n+c\n");
    HunkLocator locator("a\nb\n");
    REQUIRE(locator.place(hunk));
    CHECK(locator.result() == "c\n");
  }
}

}  // namespace torchpatch::patch
