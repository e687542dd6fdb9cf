// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "document/document.h"
#include "document/text.h"
#include "record/tree_scripts.h"
#include "support/catch.h"
#include "support/error.h"
#include "support/text.h"
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
  CHECK_THAT(top, Catch::Contains("> **Warning:** this is the unpatched pinned tree."));
  CHECK_THAT(top, Catch::Contains("> **Warning:** 1 issue may affect this build: a fact is unknown"));
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
  CHECK(part_with() == "Fixed for you");
  CHECK_THAT(known_issues_page(manifest, issues), Catch::Contains(": 1 handled by patches or added files, 2 for you"));
  applied->kind = FixKind::environment;
  CHECK_THAT(known_issues_page(manifest, issues), Catch::Contains(": 1 handled by variables, 2 for you"));
  applied->kind = FixKind::advice;
  CHECK_THAT(known_issues_page(manifest, issues), Catch::Contains(": none handled in the tree, 3 for you"));
  CHECK(part_with() == "Action required");
  SECTION("a limitation is good to know") {
    issue.severity = "limitation";
    CHECK(part_with() == "For information");
  }
  SECTION("and so is what any board of its kind may meet, in any release") {
    issue.releases = {*VersionRange::parse(">=1.0.0")};
    CHECK(part_with() == "Action required");
    issue.when = {{"arch", std::vector<std::string>{"aarch64"}, "arch aarch64"}};
    CHECK(part_with() == "For information");
  }
}

TEST_CASE("KNOWN_ISSUES.md: a summary keeps its code, and nothing of it is escaped that need not be") {
  Manifest manifest = test::example_manifest();
  std::vector<Issue> issues = test::example_issues();
  const auto applied = std::ranges::find(manifest.issues, IssueStatus::applied, &IssueDecision::status);
  Issue& issue = *std::ranges::find(issues, applied->issue, &Issue::id);
  Fix& fix = *std::ranges::find(issue.fixes, applied->fix, &Fix::id);
  fix.summary = "Run `pip install 'numpy<2'` in the_tree";
  CHECK_THAT(known_issues_page(manifest, issues), Catch::Contains("**: Run `pip install 'numpy<2'` in the_tree\n"));
  fix.summary = "An odd ` alone";
  CHECK_THAT(known_issues_page(manifest, issues), Catch::Contains("**: An odd \\` alone\n"));
}

TEST_CASE("KNOWN_ISSUES.md: what is declined is called so") {
  const std::string page = known_issues_page(test::example_manifest(), test::example_issues());
  CHECK_THAT(page, Catch::Contains("2 for you to do, 1 declined, 0 for information") &&
                       Catch::Contains("\n### Declined: 1\n") && Catch::Contains("\n## Declined\n"));
}

TEST_CASE("KNOWN_ISSUES.md: \"As above.\" is replaced by the section that is above it on the issue's page") {
  std::vector<Issue> issues = test::example_issues();
  const auto page_with = [&](const std::string& fix) {
    for (Issue& issue : issues)
      for (auto& [name, words] : issue.sections)
        if (name == "Fix" || name == "Symptom") words = name == "Fix" ? fix : "Do this first.\n";
    return known_issues_page(test::example_manifest(), issues);
  };
  CHECK_THAT(page_with("As above."), !Catch::Contains("As above") && Catch::Contains("**Fix**\n\nDo this first.\n"));
  CHECK_THAT(page_with("As above. And then some.\n"), Catch::Contains("**Fix**\n\nDo this first.\n\nAnd then some.\n"));
  CHECK_THAT(page_with("And then some.\n"), !Catch::Contains("Do this first."));
}

TEST_CASE("KNOWN_ISSUES.md: lists what a partial tree lacks, up to ten") {
  Manifest manifest = test::example_manifest();
  CHECK_THAT(known_issues_page(manifest, test::example_issues()), !Catch::Contains("Missing:"));
  for (int i = 0; i < 12; ++i)
    manifest.gaps.push_back({{Component::torch, ""}, concat("tools/", i, ".py"), FileMode::regular, {}});
  CHECK_THAT(known_issues_page(manifest, test::example_issues()),
             Catch::Contains("Missing:\n\n- 'pytorch/tools/0.py'\n") && Catch::Contains("- 'pytorch/tools/9.py'\n") &&
                 !Catch::Contains("tools/10.py") && Catch::Contains("- … and 2 more (manifest.json has all)\n"));
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
  CHECK_THAT(build_script(manifest, {}, {}, {}), Catch::Contains("# Runs on host a1 (ubuntu-18.04); "));
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
        "registers_per_block <65536 \\_x\\_ a\\*b \\`c\\` \\[d\\](e) & # > ");
  CHECK(markdown_text("numpy<2 a_b__c <b> <5@a.b> &lt; a * b _ c \\d \\_") ==
        "numpy<2 a_b__c \\<b> \\<5@a.b> \\&lt; a * b _ c \\d \\\\\\_");
  CHECK(markdown_text("a<") == "a\\<");
  CHECK(markdown_text("> # x") == "\\> # x");
  CHECK(code_span("a") == "`a`");
  CHECK(code_span("a``b`") == "``` a``b` ```");
  CHECK(code_block("a\n```\n", "text") == "````text\na\n```\n````\n");
}

}  // namespace
}  // namespace torchpatch::report
