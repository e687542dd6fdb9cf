// SPDX-License-Identifier: BSD-3-Clause
#include "upkeep/audit/audit.h"

#include "patch/patch_file.h"
#include "support/catch.h"
#include "support/digest.h"
#include "support/error.h"
#include "support/text.h"

using namespace torchpatch;
using namespace torchpatch::upkeep;

namespace {

std::string lines(int count) {
  std::string text;
  for (int i = 1; i <= count; ++i) text += concat("line ", i, "\n");
  return text;
}

/// A patch of the file "a" that replaces line 5 of lines 4 to 6, or line 7 of what that makes.
constexpr const char* kFive =
    "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -4,3 +4,3 @@\n line 4\n-line 5\n+five\n line 6\n";
constexpr const char* kSeven =
    "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -5,4 +5,4 @@\n five\n line 6\n-line 7\n+seven\n line 8\n";

/// Shows one patch in files that hold "a" with 30 lines.
AuditPatch show(const std::string& diff, std::size_t context) {
  MemoryFiles files;
  files.files["a"] = {FileMode::regular, lines(30)};
  AuditStep step;
  step.patchset = "set";
  step.file = "one.patch";
  step.text = "Description: Change a\n\n" + diff;
  step.parsed = patch::parse_patch(step.text, step.file);
  std::vector<AuditPatch> entries = {describe_patch(step, "1.1.0", Catalog())};
  show_in_files(
      {step}, [&](const RepositoryPath&) { return &files; }, context, entries);
  return entries[0];
}

std::string text_of(const AuditHunk& hunk) {
  std::string text;
  for (const AuditLine& line : hunk) text += concat(line.kind, line.text, "|");
  return text;
}

}  // namespace

TEST_CASE("show_in_files: a second change of a file stands in what the first one made") {
  const AuditPatch shown = show(concat(kFive, kSeven), 3);
  REQUIRE(shown.files.size() == 2);
  CHECK(text_of(shown.files[0].hunks[0]) == " line 2| line 3| line 4|-line 5|+five| line 6| line 7| line 8|");
  CHECK(text_of(shown.files[1].hunks[0]) == " line 4| five| line 6|-line 7|+seven| line 8| line 9| line 10|");
  CHECK(shown.files[0].before == git_blob_id(lines(30)));
  CHECK(shown.files[1].before == shown.files[0].after);
}

TEST_CASE("show_in_files: a rename and a copy name the blob that they are made from") {
  const AuditPatch renamed = show("diff --git a/a b/b\nsimilarity index 100%\nrename from a\nrename to b\n", 3);
  CHECK(renamed.files[0].before == git_blob_id(lines(30)));
  CHECK(renamed.files[0].after == git_blob_id(lines(30)));
  const AuditPatch copied = show("diff --git a/a b/b\nsimilarity index 100%\ncopy from a\ncopy to b\n", 3);
  CHECK(copied.files[0].before == git_blob_id(lines(30)));
}

TEST_CASE("show_in_files: what there is to look at moves with a hunk that stands elsewhere") {
  // The hunk says line 3, its lines are found at 9.
  const AuditPatch shown = show(
      "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -2,3 +2,3 @@\n line 8\n-line 9\n+curl https://example.org\n line 10\n",
      1);
  REQUIRE(shown.risks.size() >= 1);
  CHECK(shown.risks[0].kind == "network");
  CHECK(shown.risks[0].line == 9);
}

TEST_CASE("show_in_files: an edge that does not hold is refused") {
  MemoryFiles files;
  files.files["a"] = {FileMode::regular, lines(30)};
  const BaseFiles base = [&](const RepositoryPath& path) { return path.path.empty() ? &files : nullptr; };
  AuditStep step;
  step.patchset = "set";
  step.file = "one.patch";
  step.parsed = patch::parse_patch(kFive, "one.patch");
  step.edges = {{"a", git_blob_id("other"), git_blob_id("another")}};
  std::vector<AuditPatch> entries(1);
  entries[0].files.resize(1);
  CHECK_THROWS_WITH(show_in_files({step}, base, 3, entries),
                    Catch::Contains("before the patch: found blob ") && Catch::Contains("the certificate has blob "));
  step.repository = {Component::torch, "third_party/none"};
  CHECK_THROWS_WITH(show_in_files({step}, base, 3, entries),
                    "showing 'set/one.patch': the pins have no repository 'torch:third_party/none'");
}
