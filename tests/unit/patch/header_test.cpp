// SPDX-License-Identifier: BSD-3-Clause
#include "patch/review.h"

#include "patch/patch_file.h"
#include "support/catch.h"
#include "support/text.h"

namespace torchpatch::patch {
namespace {

const std::string kFields =
    "Description: Say what\n and why\n"
    "Origin: upstream, https://example.org/commit/1\n"
    "Bug: https://example.org/issues/1\n"
    "Forwarded: not-needed\n"
    "Last-Update: 2024-02-29\n"
    "SPDX-License-Identifier: BSD-3-Clause\n";
const std::string kId(40, '1');
const std::string kChange = concat("diff --git a/f b/f\nindex ", kId, "..", std::string(40, '2'),
                                   " 100644\n--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n l1\n-l2\n+L2\n l3\n");

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

std::vector<LintFinding> lint(const std::string& text) { return lint_patch(parse_patch(text, "p")); }

}  // namespace

TEST_CASE("parse_header: reads fields and what goes on with them", "[patch]") {
  const PatchHeader header = parse_header("\n" + kFields + "\nfree text: not a field\n");
  REQUIRE(header.fields.size() == 6);
  CHECK(header.fields[0].value == "Say what\nand why");
  CHECK(header.fields[0].line == 2);
  CHECK(header.fields[1].line == 4);
  CHECK(header.find("last-update")->value == "2024-02-29");
  CHECK(header.find("Author") == nullptr);
  CHECK(header.stray_line == 0);
}

TEST_CASE("parse_header: knows mails and comments", "[patch]") {
  const PatchHeader header = parse_header(
      "From 0123 Mon Sep 17 00:00:00 2001\nFrom: A <a@example.org>\n# a comment: nothing\n"
      "# SPDX-License-Identifier: MIT\nSubject: x\n---\n f | 2 +-\n");
  REQUIRE(header.fields.size() == 3);
  CHECK(header.find("SPDX-License-Identifier")->value == "MIT");
  CHECK(header.stray_line == 0);
}

TEST_CASE("lint_patch: finds nothing in a patch as it should be", "[patch]") {
  CHECK(lint(kFields + "\n" + kChange).empty());
  CHECK(lint(replaced(kFields, "Description", "Subject") + "\n" + kChange).empty());
}

TEST_CASE("lint_patch: names each field that is missing or malformed", "[patch]") {
  CHECK(lint(kChange).size() == 6);
  struct Row {
    std::string from;
    std::string to;
    LintFinding finding;
  };
  const std::vector<Row> rows = {
      {"Bug: https://example.org/issues/1\n", "", {0, "the header has no field 'Bug'"}},
      {"https://example.org/issues/1", "issue 1", {4, "the field 'Bug' must be an http or https link"}},
      {"upstream, https",
       "somewhere, https",
       {3,
        "the field 'Origin' must be 'upstream', 'backport', 'vendor' or 'other', followed by a comma and a link or "
        "name"}},
      {"not-needed", "yes", {5, "the field 'Forwarded' must be 'no', 'not-needed' or an http or https link"}},
      {"2024-02-29", "2023-02-29", {6, "the field 'Last-Update' must be a date YYYY-MM-DD"}},
      {"2024-02-29", "2024-2-29", {6, "the field 'Last-Update' must be a date YYYY-MM-DD"}},
      {" BSD-3-Clause", "", {7, "the field 'SPDX-License-Identifier' must be a licence expression"}},
      {"Forwarded:", "Forwarded", {0, "the header has no field 'Forwarded'"}},
  };
  for (const Row& row : rows) {
    INFO(row.to);
    const std::vector<LintFinding> findings = lint(replaced(kFields, row.from, row.to) + "\n" + kChange);
    REQUIRE(!findings.empty());
    CHECK(findings[0] == row.finding);
  }
}

TEST_CASE("lint_patch: wants changes that can be certified and taken back", "[patch]") {
  const std::string head = kFields + "\n";
  CHECK(lint(head + replaced(kChange, kId, "1111111"))[0].message ==
        "the change of 'f' has no index line with two full ids: use git diff --full-index");
  CHECK(lint(head + "diff --git a/f b/g\ncopy from f\ncopy to g\n")[0].message ==
        "'g' is a copy, which cannot be reverted: use git diff --no-renames");
  CHECK(lint(head + replaced(kChange, "@@ -1,3 +1,3 @@\n l1\n-l2\n+L2\n l3\n", "@@ -2 +2 @@\n-l2\n+L2\n"))[0].message ==
        "a hunk of 'f' has no context: use git diff -U3");
}

}  // namespace torchpatch::patch
