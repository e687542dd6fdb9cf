// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "document/markdown.h"
#include "record/out_files.h"
#include "support/catch.h"
#include "support/error.h"
#include "unit/report/examples.h"
#include "unit/report/golden.h"

namespace torchpatch::report {

using namespace record;
namespace {

TEST_CASE("KNOWN_ISSUES.md: has the documented form") {
  test::check_golden("KNOWN_ISSUES.md", known_issues_page(test::example_manifest(), test::example_issues()));
}

TEST_CASE("KNOWN_ISSUES.md: says on top that a tree is not PyTorch, unpatched or undecided") {
  Manifest manifest = test::example_manifest();
  manifest.stand_in = "A *sample*.";
  manifest.unpatched = true;
  const std::string page = known_issues_page(manifest, test::example_issues());
  const std::string top = page.substr(0, page.find("\n## "));
  CHECK_THAT(top, Catch::StartsWith("# Known issues of a stand-in for PyTorch 1.1.0 on tx2\n"));
  CHECK_THAT(top, Catch::Contains("> **Warning:** this is not PyTorch: A \\*sample\\*.\n"));
  CHECK_THAT(top, Catch::Contains("> **Warning:** this is the pinned tree as it is"));
  CHECK_THAT(top, Catch::Contains("> **Warning:** 1 issue may concern this build: a fact is not known"));
}

TEST_CASE(
    "KNOWN_ISSUES.md: advice is no answer, and the builder's to follow where this build is of the kind that needs it") {
  Manifest manifest = test::example_manifest();
  const auto applied = std::ranges::find(manifest.issues, IssueStatus::applied, &IssueDecision::status);
  std::vector<Issue> issues = test::example_issues();
  Issue& issue = *std::ranges::find(issues, applied->issue, &Issue::id);
  const std::string title = "**" + issue.title + "**";
  const auto part_with = [&] {
    const std::string page = known_issues_page(manifest, issues);
    CHECK_THAT(page, Catch::Contains(title));
    const std::size_t part = page.rfind("\n### ", page.find(title)) + 5;
    return page.substr(part, page.find(':', part) - part);
  };
  CHECK(part_with() == "Done for you");
  CHECK_THAT(known_issues_page(manifest, issues), Catch::Contains(": 1 answered by patches or added files, 2 for you"));
  applied->kind = FixKind::environment;
  CHECK_THAT(known_issues_page(manifest, issues), Catch::Contains(": 1 answered by variables, 2 for you"));
  applied->kind = FixKind::advice;
  CHECK_THAT(known_issues_page(manifest, issues), Catch::Contains(": none answered in the tree, 3 for you"));
  CHECK(part_with() == "You must do this");
  SECTION("a limitation is good to know") {
    issue.severity = "limitation";
    CHECK(part_with() == "Good to know");
  }
  SECTION("and so is what any board of its kind may meet, in any release") {
    issue.releases = {*VersionRange::parse(">=1.0.0")};
    CHECK(part_with() == "You must do this");
    issue.when.clauses = {{"arch", std::vector<std::string>{"aarch64"}, "arch aarch64"}};
    CHECK(part_with() == "Good to know");
  }
}

TEST_CASE("KNOWN_ISSUES.md: wrong results come before what fails aloud") {
  Manifest manifest = test::example_manifest();
  std::vector<Issue> issues = test::example_issues();
  const Issue& undecided = *std::ranges::find(
      issues, std::ranges::find(manifest.issues, IssueStatus::undecided, &IssueDecision::status)->issue, &Issue::id);
  Issue& uncertified = *std::ranges::find(
      issues, std::ranges::find(manifest.issues, IssueStatus::uncertified, &IssueDecision::status)->issue, &Issue::id);
  const auto stands_first = [&] {
    const std::string page = known_issues_page(manifest, issues);
    return page.find("**" + uncertified.title) < page.find("**" + undecided.title);
  };
  uncertified.severity = "silent-wrong-results";
  CHECK(stands_first());
  uncertified.severity = "limitation";
  CHECK(!stands_first());
}

TEST_CASE("build.sh and KNOWN_ISSUES.md: name another machine that builds") {
  Manifest manifest = test::example_manifest();
  manifest.host = {{"board", "a1"}, {"image", "ubuntu-18.04"}, {"arch", "aarch64"}, {"glibc", "2.27"}};
  CHECK_THAT(build_script(manifest, {}, {}, {}), Catch::Contains("# Made to run on host a1 (ubuntu-18.04); "));
  CHECK_THAT(known_issues_page(manifest, test::example_issues()), Catch::Contains("Python 3.5, built on host a1"));
}

TEST_CASE("known_issues_page: an issue that was not given is a bug") {
  CHECK_THROWS_AS(known_issues_page(test::example_manifest(), {}), Error);
}

TEST_CASE("document_markdown: hidden characters are visible in text, in code and in blocks") {
  const std::string hidden = "\x1b[31m\u202E\u009b\u200b\ufeff\x07";
  const Document page{
      .title = "a" + hidden,
      .blocks = {Paragraph{{text(hidden), code(hidden)}}, Literal{hidden}, PatchText{hidden}, Markdown{hidden}}};
  const std::string written = document_markdown(page, {});
  CHECK(visible(written) == written);
  CHECK_THAT(written, Catch::Contains("\\u001B[31m\\u202E\\u009B\\u200B\\uFEFF\\u0007\n"));
}

TEST_CASE("markdown_text: escapes markup, not names") {
  CHECK(markdown_text("registers_per_block <65536 _x_ a*b `c` [d](e) & # >\n") ==
        "registers_per_block \\<65536 \\_x\\_ a\\*b \\`c\\` \\[d\\](e) \\& # > ");
  CHECK(markdown_text("> # x") == "\\> # x");
  CHECK(code_span("a") == "`a`");
  CHECK(code_span("a``b`") == "``` a``b` ```");
  CHECK(code_block("a\n```\n", "text") == "````text\na\n```\n````\n");
}

}  // namespace
}  // namespace torchpatch::report
