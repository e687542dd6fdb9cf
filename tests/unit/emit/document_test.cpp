// SPDX-License-Identifier: BSD-3-Clause
#include "emit/document/document.h"

#include <catch2/catch.hpp>

#include "emit/document/document_man.h"
#include "emit/format/roff_text.h"
#include "support/text.h"
#include "unit/emit/golden.h"

using namespace torchpatch;
using namespace torchpatch::emit;

namespace {

/// Every kind of block and piece, with what each form has to escape.
Document example() {
  Document page{{PageKind::issue, "one"}, "A <b> | `title`", "What it says", {}, {}, {}};
  page.previous = {{PageKind::issue, "zero"}, "Zero & none"};
  page.blocks = {
      Facts{{{"Kind", {tag("build failure", Tone::bad)}}, {"Left out", {}}, {"Name", {code("a|b")}}}},
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
      Fold{"More", {PatchText{"@@ -1 +1 @@\n-a\n+.b\n"}}, true}};
  return page;
}

Surroundings around(const std::string& suffix) {
  return {[suffix](const PageRef& page) { return page.id + suffix; }, {{"two", {PageKind::issue, "two"}}}};
}

}  // namespace

TEST_CASE("document: has the same words as HTML, as Markdown and as a manual page") {
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

TEST_CASE("joined: puts the separator between lines") {
  CHECK(joined({}, ", ").empty());
  CHECK(joined({{text("a")}, {text("b"), text("c")}}, ", ").size() == 4);
}

TEST_CASE("roff_text: escapes what troff reads") {
  CHECK(roff_text(".a -b\\c\n'd `e") == "\\&.a \\-b\\ec\n\\(aqd \\(gae");
  CHECK(roff_argument("say \"a-b\"") == "\"say \\(dqa\\-b\\(dq\"");
  CHECK(roff_breakable("a/b-c") == "a/\\:b\\-\\:c");
}
