// SPDX-License-Identifier: BSD-3-Clause
#include "document/html.h"
#include "support/catch.h"
#include "support/text.h"

using namespace torchpatch;

TEST_CASE("html_text: escapes what HTML reads and shows what would deceive") {
  CHECK(html_text("a<b> & \"c\"\n\t'd'") == "a&lt;b&gt; &amp; &quot;c&quot;\n\t'd'");
  CHECK(html_text("\x1b[31m\x7f") == "\\u001B[31m\\u007F");
  CHECK(html_text("a\u202eb\u2066c") == "a\\u202Eb\\u2066c");
  CHECK(html_text("ok \xff\xc3 é") == "ok \\xFF\\xC3 é");
  CHECK(html_link("x.html?a=1&b=\"", "<x>") == "<a href=\"x.html?a=1&amp;b=&quot;\">&lt;x&gt;</a>");
}

TEST_CASE("html_anchor: an id that begins with a letter, whatever the text") {
  CHECK(html_anchor("How to verify") == "how-to-verify");
  CHECK(html_anchor("  `torch`: ÄÖ <x> ") == "torch-x");
  CHECK(html_anchor("1.10 and later") == "section-1-10-and-later");
  CHECK(html_anchor("--") == "section");
}

TEST_CASE("markdown_html: writes what CommonMark has") {
  CHECK(markdown_html("Some *words*, **more**\nand `code < 3`.") ==
        "<p>Some <em>words</em>, <strong>more</strong>\nand <code>code &lt; 3</code>.</p>\n");
  CHECK(markdown_html("* one\n* two\n\n  - three") ==
        "<ul>\n<li><p>one</p>\n</li>\n<li><p>two</p>\n<ul>\n<li>three</li>\n</ul>\n</li>\n</ul>\n");
  CHECK(markdown_html("3. a\n4. b\n   > c") ==
        "<ol start=\"3\">\n<li>a</li>\n<li>b\n<blockquote>\n<p>c</p>\n</blockquote>\n</li>\n</ol>\n");
  CHECK(markdown_html("```sh\nmake <x\n```\n\n---\na  \nb") ==
        "<pre tabindex=\"0\"><code>make &lt;x\n</code></pre>\n<hr>\n<p>a<br>\nb</p>\n");
  CHECK(markdown_html("[text](https://a.example/?b&c \"a title\")") ==
        "<p><a href=\"https://a.example/?b&amp;c\">text</a></p>\n");
}

TEST_CASE("markdown_html: headings stand below the page's own and have anchors of their own") {
  CHECK(markdown_html("# The `Fix`\n## The fix\n###### Deep", {.heading_above = 2, .anchor_prefix = "a-"}) ==
        "<h3 id=\"a-the-fix\">The <code>Fix</code></h3>\n<h4 id=\"a-the-fix-2\">The fix</h4>\n"
        "<h6 id=\"a-deep\">Deep</h6>\n");
}

TEST_CASE("markdown_html: links known names in code, but not within a link") {
  const MarkdownOptions options{.code_links = {{"nccl", "nccl.html"}}};
  CHECK(markdown_html("see `nccl` and `nccl 2`", options) ==
        "<p>see <a href=\"nccl.html\"><code>nccl</code></a> and <code>nccl 2</code></p>\n");
  CHECK(markdown_html("[`nccl`](https://a.example)", options) ==
        "<p><a href=\"https://a.example\"><code>nccl</code></a></p>\n");
}

TEST_CASE("markdown_html: raw HTML is text, an image its description, a foreign link its text") {
  CHECK(markdown_html("a <b onclick=x>b</b> <!-- c -->") ==
        "<p>a &lt;b onclick=x&gt;b&lt;/b&gt; &lt;!-- c --&gt;</p>\n");
  CHECK(markdown_html("<script>\nalert(1)\n</script>") ==
        "<pre tabindex=\"0\"><code>&lt;script&gt;\nalert(1)\n&lt;/script&gt;\n</code></pre>\n");
  CHECK(markdown_html("![the *board*](https://evil.example/x.png)") == "<p>the <em>board</em></p>\n");
  CHECK(markdown_html("[x](&#106;avascript:alert) [y](//evil.example) <ftp://a.example>") ==
        "<p>x y ftp://a.example</p>\n");
}

TEST_CASE("markdown_html: text that would take cmark long, or is not text, is shown as it is") {
  std::string brackets;
  for (int i = 0; i < 30000; ++i) brackets += "![[]()";
  CHECK_THAT(markdown_html(brackets), Catch::StartsWith("<pre tabindex=\"0\"><code>![[]()"));
  CHECK_THAT(markdown_html("*a* \xff"), Catch::Equals("<pre tabindex=\"0\"><code>*a* \\xFF</code></pre>\n"));
  CHECK_THAT(markdown_html(std::string(50000, '>') + "x"), Catch::Contains("<blockquote>"));  // no recursion
}

TEST_CASE("markdown_html: GitHub's tables") {
  CHECK(markdown_html("a\n\n| x | `y` |\n|---|:-:|\n| *1* | a \\| b |\n| 2\n\nb") ==
        "<p>a</p>\n<div class=\"wide\" tabindex=\"0\">\n<table>\n<thead>\n<tr><th>x</th><th><code>y</code></th></tr>\n"
        "</thead>\n<tbody>\n<tr><td><em>1</em></td><td>a | b</td></tr>\n<tr><td>2</td><td></td></tr>\n</tbody>\n"
        "</table>\n</div>\n<p>b</p>\n");
  CHECK(markdown_html("```\n| a |\n|---|\n```") == "<pre tabindex=\"0\"><code>| a |\n|---|\n</code></pre>\n");
  CHECK(markdown_html("a | b\nc | d") == "<p>a | b\nc | d</p>\n");
}

TEST_CASE("patch_html: tells lines by the counts of their hunk") {
  const std::string html = patch_html(
      "Description: a <b>\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@ f\n--- old\n+++ new\n same\n-- "
      "\n2.39\n");
  CHECK(html ==
        "<pre class=\"patch\" tabindex=\"0\"><code><span class=\"head\">Description: a &lt;b&gt;\n</span>"
        "<span class=\"file\">diff --git a/x b/x\n</span><span class=\"head\">--- a/x\n</span>"
        "<span class=\"head\">+++ b/x\n</span><span class=\"hunk\">@@ -1,2 +1,2 @@ f\n</span>"
        "<span class=\"removed\">--- old\n</span><span class=\"added\">+++ new\n</span><span> same\n</span>"
        "<span class=\"head\">-- \n</span><span class=\"head\">2.39\n</span></code></pre>\n");
  CHECK_THAT(patch_html("@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\nrest"),
             Catch::Contains("<span class=\"head\">\\ No newline at end of file\n</span><span class=\"added\">+b\n"
                             "</span><span class=\"head\">rest"));
}

TEST_CASE("html_page: frames what it is given, and lets in nothing else") {
  const std::string html = html_page({.title = "A <title>",
                                      .description = "What \"it\" says",
                                      .home = {"torchpatch", "index.html", false},
                                      .navigation = {{"Boards", "boards.html", true}, {"More", "more.html", false}},
                                      .main = "<h1>A</h1>\n",
                                      .footer = "<p>end</p>\n",
                                      .style = "p { margin: 0; }\n",
                                      .script = "",
                                      .style_files = {},
                                      .script_files = {"search.js"}});
  CHECK(
      html ==
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; form-action 'none'; "
      "style-src 'sha256-Si/3hSA5wghqWZ8YCOFdiKM9xEROUXpisR2AskY86u8='; script-src 'self' file:\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>A &lt;title&gt;</title>\n"
      "<meta name=\"description\" content=\"What &quot;it&quot; says\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<style>\np { margin: 0; }\n</style>\n"
      "<script src=\"search.js\" defer></script>\n</head>\n<body>\n"
      "<a class=\"skip\" href=\"#main\">Skip to the content</a>\n<header class=\"site-header\">\n"
      "<a class=\"home\" href=\"index.html\">torchpatch</a>\n<nav aria-label=\"Site\">\n<ul>\n"
      "<li><a href=\"boards.html\" aria-current=\"true\">Boards</a></li>\n<li><a href=\"more.html\">More</a></li>\n"
      "</ul>\n</nav>\n</header>\n<main id=\"main\" tabindex=\"-1\">\n<h1>A</h1>\n</main>\n"
      "<footer class=\"site-footer\">\n<p>end</p>\n</footer>\n</body>\n</html>\n");
}
