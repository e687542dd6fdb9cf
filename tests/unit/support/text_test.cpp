// SPDX-License-Identifier: BSD-3-Clause
#include "support/text.h"

#include <map>

#include "support/catch.h"
#include "support/error.h"
#include "support/file.h"
#include "support/program.h"

using namespace torchpatch;

TEST_CASE("fill_template: puts values into lines, and their lines in the place of comments") {
  const std::map<std::string_view, std::string> values = {
      {"A", "one"}, {"B", "@A@"}, {"NONE", ""}, {"LINES", "x\ny\n"}};
  CHECK(fill_template("", values).empty());
  CHECK(fill_template("@A@ and @B@, @NONE@.", values) == "one and @A@, .");
  CHECK(fill_template("# @LINES@\n  # @NONE@\n    # @LINES@\nend", values) == "x\ny\nx\ny\nend");
  CHECK(fill_template("# @A@ it is\n# @A@", values) == "# one it is\n# one");
  CHECK(fill_template("\"$@\" @C@A@ @", values) == "\"$@\" @Cone @");
}

TEST_CASE("quote: escapes what could act on a terminal") {
  CHECK(quote("") == "''");
  CHECK(quote("plain name.txt") == "'plain name.txt'");
  CHECK(quote("caf\xC3\xA9") == "'caf\xC3\xA9'");
  CHECK(quote("it's") == "'it\\'s'");
  CHECK(quote("a\\b") == "'a\\\\b'");
  CHECK(quote("a\nb\tc") == "'a\\nb\\tc'");
  CHECK(quote("\x1B[31m") == "'\\033[31m'");
  CHECK(quote(std::string_view("\0\x7F\r", 3)) == "'\\000\\177\\015'");
  CHECK(quote("\xFF\xC3") == "'\\377\\303'");
  CHECK(quote("\xC2\x9B"
              "31m") == "'\\302\\23331m'");  // C1 CSI
  CHECK(quote("a\xE2\x80\xAE"
              "b") == "'a\\342\\200\\256b'");           // U+202E
  CHECK(quote("\xE2\x81\xA6") == "'\\342\\201\\246'");  // U+2066
  CHECK(quote("\xE2\x80\xA8") == "'\\342\\200\\250'");  // U+2028, a line separator
}

TEST_CASE("visible, has_hidden: what a reader does not see, or sees elsewhere") {
  for (const char* hidden : {"\x1b",   "\x07",   "\x7f",       "\u009b", "\u061c", "\u200b",     "\u2028",    "\u202e",
                             "\u2066", "\ufeff", "\U000e0041", "\xff",   "\u00a0", "\u034f",     "\u115f",    "\u17b4",
                             "\u180e", "\u2800", "\u3164",     "\ufe0f", "\uffa0", "\U000e0100", "\U0001d173"}) {
    INFO(quote(hidden));
    CHECK(has_hidden(concat("a", hidden, "b")));
    CHECK(visible(concat("a", hidden, "b")).starts_with("a\\"));
    CHECK(quote(hidden).starts_with("'\\"));
  }
  CHECK(visible("\u202E\x1b\xff\U000e0041") == "\\u202E\\u001B\\xFF\\u0E0041");
  CHECK(visible("a\tb\n\u00e4\u20ac") == "a\tb\n\u00e4\u20ac");
  CHECK_FALSE(has_hidden("a b \u00e4 \u20ac"));
  CHECK(has_hidden("a\tb"));
}

TEST_CASE("quote: distinct names stay distinct") { CHECK(quote("\n") != quote("\\n")); }

TEST_CASE("joined_lines: one line, which a list continues behind its colon") {
  CHECK(joined_lines("two findings:\n  a\n\n  b\n") == "two findings: a; b");
  CHECK(joined_lines("\n").empty());
}

TEST_CASE("printable: quotes only where something is escaped") {
  CHECK(printable("boards/tx2.json") == "boards/tx2.json");
  CHECK(printable("a\nb") == "'a\\nb'");
}

TEST_CASE("shell_quote: sh reads back the same bytes") {
  CHECK(shell_quote("a/b-1.2_c:d=e") == "a/b-1.2_c:d=e");
  CHECK(shell_quote("") == "''");
  for (const std::string text : {"a b", "it's", "$(id)`x`", "\"\\\n*?~", "'", "''", "-n", "caf\xC3\xA9", "#"}) {
    ProgramRun run;
    run.argv = {"sh", "-c", "printf %s " + shell_quote(text)};
    CHECK(run_program(run).out == text);
  }
}

TEST_CASE("split and join: are inverse") {
  CHECK(split("a,,b", ',') == std::vector<std::string>{"a", "", "b"});
  CHECK(split("", ',') == std::vector<std::string>{""});
  CHECK(split(",", ',') == std::vector<std::string>{"", ""});
  CHECK(join({"a", "", "b"}, ", ") == "a, , b");
  CHECK(join({}, ", ").empty());
}

TEST_CASE("trim: removes blanks at both ends only") {
  CHECK(trim(" \t a b \r\n") == "a b");
  CHECK(trim(" \n ").empty());
  CHECK(trim("").empty());
}

TEST_CASE("decode_utf8: takes well-formed sequences only") {
  CHECK(is_valid_utf8("a\xC2\x80\xE0\xA0\x80\xF0\x90\x80\x80\xF4\x8F\xBF\xBF"));
  for (const std::string bad : {"\x80", "\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF",
                                "\xF4\x90\x80\x80", "\xF8\x88\x80\x80\x80", "\xC3", "\xE2\x82", "a\xFF"}) {
    CAPTURE(quote(bad));
    CHECK_FALSE(is_valid_utf8(bad));
  }
  const auto point = decode_utf8("a\xE2\x82\xAC", 1);
  REQUIRE(point);
  CHECK(point->value == 0x20AC);
  CHECK(point->length == 3);
  CHECK_FALSE(decode_utf8("a", 1));
}
