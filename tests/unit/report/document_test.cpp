// SPDX-License-Identifier: BSD-3-Clause
#include "document/document.h"

#include "document/text.h"
#include "support/catch.h"
#include "support/text.h"
#include "unit/report/golden.h"

using namespace torchpatch;

namespace {

Hunk a_hunk() {
  return {
      {{' ', 1, 1, "same", true, {}}, {'-', 2, 0, "int a;", true, {{4, 5}}}, {'+', 0, 2, "int <b>;", false, {{4, 7}}}},
      "lines 1\u20132",
      "one-file-1-hunk-1",
      {{2, "blank", "a <b> at its end"}}};
}

/// Every kind of block and piece, with what each form has to escape.
Document example() {
  Document page{{PageKind::issue, "one"}, "A <b> | `title`", "What it says", {}, {}, {}};
  page.previous = {{PageKind::issue, "zero"}, "Zero & none"};
  page.blocks = {
      Terms{{{"Kind", {tag("build failure", Tone::bad)}}, {"Left out", {}}, {"Name", {code("a|b")}}}},
      Heading{2, "Symptom"},
      Literal{".so x\n'y' <z>\n"},
      Markdown{"See `two` and [there](https://a.example/).\n\n```sh\n. build.env\n```"},
      Heading{2, "Fix"},
      Heading{3, "Symptom"},
      Paragraph{{text("*Not* emphasis, "), strong("strong"), text(" and "), link_to({PageKind::board, "pi"}, "the Pi")},
                Paragraph::Style::note},
      Items{{{web_link("https://a.example/?b=1&c", "a link")}, {web_link("javascript:x", "no link")}}},
      Items{},
      Heading{2, "Fix"},
      Table{"What <applies>", {"", "1.0 | 1.1"}, {{{{code("x|y")}}, {{text("patch T2")}, Tone::good}}}},
      Table{"Empty", {"none"}, {}},
      Heading{3, "x.c", "one-file-1"},
      Hunks{"x.c", {a_hunk()}},
      Terms{{{"Twice", stacked({{toned("+1", Tone::good)}, {link_here("one-file-1", "x.c")}})}}},
      Fold{"More", {PatchText{"@@ -1 +1 @@\n-a\n+.b\n"}}, true}};
  return page;
}

Surroundings around(const std::string& suffix) {
  return {[suffix](const PageRef& page) { return page.id + suffix; }, {{"two", {PageKind::issue, "two"}}}};
}

}  // namespace

TEST_CASE("document: has the same words as text, as HTML, as Markdown and as a manual page") {
  test::check_golden("document.txt", document_text(example()));
  test::check_golden("document.html", document_html(example(), around(".html")));
  test::check_golden("document.md", document_markdown(example(), around(".md")));
  test::check_golden("document.7", document_man(example(), around(""), "torchpatch-issue-one"));
}

TEST_CASE("document_html: a short page has no list of contents") {
  Document page{{PageKind::index, ""}, "T", "D", {Heading{2, "One"}, Heading{2, "Two"}}, {}, {}};
  CHECK_THAT(document_html(page, around("")), !Catch::Contains("On this page"));
  page.blocks.push_back(Heading{2, "Three"});
  CHECK_THAT(document_html(page, around("")), Catch::Contains("<a href=\"#three\">Three</a>"));
}

TEST_CASE("document_man, document_markdown: hard line breaks, and addresses that would end a link") {
  const Document page{{PageKind::index, ""},
                      "T",
                      "D",
                      {Markdown{"x\\\ny"}, Paragraph{{web_link("https://a.example/>)<script>", "bug")}}},
                      {},
                      {}};
  CHECK_THAT(document_man(page, around(""), "t"), Catch::Contains("x\n.br\ny") && !Catch::Contains(".PD"));
  CHECK_THAT(document_markdown(page, around("")), Catch::Contains("[bug](<https://a.example/%3E)%3Cscript%3E>)"));
}

TEST_CASE("blocks_text: wraps at the width, never within a word") {
  const std::vector<Block> blocks = {
      Paragraph{{text("one two three four five six "), code("aten/src/ATen/cuda/limits.h")}},
      Items{{{text("an item that goes on and on")}}}};
  CHECK(blocks_text(blocks, {20}) ==
        "one two three four\nfive six\naten/src/ATen/cuda/limits.h\nan item that goes on\n    and on\n");
  CHECK(blocks_text(blocks) ==
        "one two three four five six aten/src/ATen/cuda/limits.h\nan item that goes on and on\n");
}

TEST_CASE("blocks_text: wraps cells in their columns and keeps short columns whole") {
  const Table table{"", {}, plain_rows({{"a", "some words of prose", "0123456789abcdef"}, {"long", "x", ""}})};
  CHECK(blocks_text({table}, {34}) == "a     some words  0123456789abcdef\n      of prose\nlong  x\n");
  const Terms terms{{{"origin", {text("told in more words than fit")}}, {"in", stacked({{text("a")}, {text("b")}})}}};
  CHECK(blocks_text({terms}, {24}) == "origin  told in more\n        words than fit\nin      a\n        b\n");
}

TEST_CASE("blocks_text: counts columns, not characters or bytes") {
  CHECK(columns_of("caf\u00E9") == 4);
  CHECK(columns_of("e\u0301") == 1);
  CHECK(columns_of("\u5909\u66F4") == 4);
  const std::string wide = "\u5909\u66F4\u70B9\u306E\u4E00\u89A7\u3067\u3059\u304C\u9577\u3044";
  CHECK(blocks_text({Paragraph{{text(wide)}}}, {20}) == wide.substr(0, 30) + "\n" + wide.substr(30) + "\n");
  CHECK(blocks_text({Table{"", {}, plain_rows({{"\u5909\u66F4", "x"}, {"four", "y"}})}}) ==
        "\u5909\u66F4  x\nfour  y\n");
}

TEST_CASE("blocks_text: colours end with their line") {
  const TextStyle style{20, TextColor::ansi};
  CHECK(blocks_text({Items{{{strong("bold words that are many"), tag(" bad", Tone::bad)}}}}, style) ==
        "\033[1mbold words that are\033[0m\n    \033[1mmany\033[0m \033[1;31mbad\033[0m\n");
  CHECK(blocks_text({Hunks{"x.c", {a_hunk()}}}, style) ==
        "\033[2m     1      1\033[0m  same\n"
        "\033[2m     2       \033[0m \033[31m-\033[0m\033[31mint \033[0m\033[1;4;31ma\033[0m\033[31m;\033[0m\n"
        "\033[2m            2\033[0m \033[32m+\033[0m\033[32mint \033[0m\033[1;4;32m<b>\033[0m\033[32m;\033[0m\n"
        "              \\ no newline at the end of the file\n"
        "              \033[33m! blank: a <b> at its end\033[0m\n");
}

TEST_CASE("blocks_text: nothing that is said moves a cursor") {
  const std::string evil = "a\033[2J\r\x9B\n\u202E";
  AuditHunk lines = {{'+', 0, 1, "\tx" + evil, true, {{1, 3}}}};
  const std::vector<Block> blocks = {Heading{2, evil},
                                     Paragraph{{text(evil), strong(evil), web_link("https://a.example/", evil)}},
                                     Items{{{code(evil)}}},
                                     Terms{{{evil, {tag(evil, Tone::bad)}}}},
                                     Table{evil, {evil}, {{{{link_to({}, evil)}}}}},
                                     Literal{evil},
                                     Markdown{evil},
                                     PatchText{evil},
                                     Hunks{evil, {{lines, evil, evil, {{0, evil, evil}}}}},
                                     Fold{evil, {Paragraph{{text(evil)}}}}};
  for (const std::size_t width : {std::size_t{0}, std::size_t{10}}) {
    const std::string out = blocks_text(blocks, {width});
    for (const char* raw : {"\033", "\r", "\x9B", "\u202E"}) CHECK_THAT(out, !Catch::Contains(raw));
    CHECK_THAT(out, Catch::Contains("\\033[2J"));
    CHECK_THAT(out, Catch::Contains("\t"));
  }
}

TEST_CASE("blocks_text: stands aligned blocks apart, and only these") {
  const Table table{"", {}, plain_rows({{"a"}})};
  CHECK(blocks_text({table, table, Items{{{text("b")}}}, table, Paragraph{{text("c")}}}) == "a\n\na\nb\na\n\nc\n");
  std::vector<Block> blocks;
  add_section(blocks, "Nothing", {Table{}, Terms{{{"x", {}}}}, Items{}});
  add_section(blocks, "Some", {table});
  add_section(blocks, "More", {table});
  CHECK(blocks_text(blocks) == "Some\n  a\n\nMore\n  a\n");
}

TEST_CASE("joined: puts the separator between lines") {
  CHECK(joined({}, ", ").empty());
  CHECK(joined({{text("a")}, {text("b"), text("c")}}, ", ").size() == 4);
}

TEST_CASE("roff_text: escapes what troff reads") {
  CHECK(roff_text(".a -b\\c\n'd `e") == "\\&.a \\-b\\ec\n\\(aqd \\(gae");
  CHECK(roff_argument("say \"a-b\"") == "\"say \\(dqa\\-b\\(dq\"");
  CHECK(roff_breakable("a/b-c") == "a/\\:b\\-\\:c");
}
