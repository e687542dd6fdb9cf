// SPDX-License-Identifier: BSD-3-Clause
#include "patch/patch_file.h"

#include "support/catch.h"
#include "support/error.h"
#include "support/print_patch.h"
#include "support/text.h"

namespace torchpatch::patch {
namespace {

const std::string kHunk = "@@ -1,3 +1,3 @@\n l1\n-l2\n+L2\n l3\n";
const std::string kSides = "--- a/f\n+++ b/f\n";
const std::string kHeader = "diff --git a/f b/f\nindex 1111111..2222222 100644\n" + kSides;
const std::string kModify = kHeader + kHunk;
const std::string kEmptyBlob = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";
const std::string kNullId(40, '0');

PatchFile parse(const std::string& text) { return parse_patch(text, "p"); }

/// The error of parsing `text`, or "accepted".
std::string refusal(const std::string& text) {
  try {
    parse(text);
    return "accepted";
  } catch (const Error& error) {
    return error.message();
  }
}

}  // namespace

TEST_CASE("parse_patch: reads a text change", "[patch]") {
  const PatchFile patch = parse("some words\n\n" + kModify);
  CHECK(patch.preamble == "some words\n\n");
  REQUIRE(patch.files.size() == 1);
  const FilePatch& file = patch.files[0];
  CHECK(file.kind == ChangeKind::modify);
  CHECK(file.old_path == "f");
  CHECK(file.new_path == "f");
  CHECK(file.old_mode == FileMode::regular);
  CHECK(!file.new_mode);
  CHECK(file.old_id == "1111111");
  CHECK(file.new_id == "2222222");
  REQUIRE(file.hunks.size() == 1);
  CHECK(file.hunks[0] == Hunk{1,
                              3,
                              1,
                              3,
                              "",
                              {{LineKind::context, "l1\n"},
                               {LineKind::removed, "l2\n"},
                               {LineKind::added, "L2\n"},
                               {LineKind::context, "l3\n"}}});
}

TEST_CASE("parse_patch: reads lines without newline, empty lines and carriage returns exactly", "[patch]") {
  const PatchFile patch = parse(kHeader + "@@ -1,3 +1,3 @@ int f()\n\n a\r\n-b\n\\ No newline at end of file\n+c\n");
  const Hunk& hunk = patch.files[0].hunks[0];
  CHECK(hunk.section == " int f()");
  CHECK(hunk.lines[0].text == "\n");
  CHECK(hunk.lines[1].text == "a\r\n");
  CHECK(hunk.lines[2].text == "b");
  CHECK(hunk.lines[3].text == "c\n");
}

TEST_CASE("parse_patch: reads every kind of header", "[patch]") {
  SECTION("create") {
    const FilePatch file = parse(
                               "diff --git a/n b/n\nnew file mode 100755\nindex 0000000..1111111\n--- /dev/null\n+++ "
                               "b/n\n@@ -0,0 +1 @@\n+x\n")
                               .files[0];
    CHECK(file.kind == ChangeKind::create);
    CHECK(file.old_path.empty());
    CHECK(file.new_path == "n");
    CHECK(file.new_mode == FileMode::executable);
  }
  SECTION("remove") {
    const FilePatch file = parse(
                               "diff --git a/n b/n\ndeleted file mode 120000\n--- a/n\n+++ /dev/null\n@@ -1 +0,0 "
                               "@@\n-x\n\\ No newline at end of file\n")
                               .files[0];
    CHECK(file.kind == ChangeKind::remove);
    CHECK(file.old_path == "n");
    CHECK(file.new_path.empty());
    CHECK(file.old_mode == FileMode::link);
  }
  SECTION("empty files") {
    CHECK(parse("diff --git a/n b/n\nnew file mode 100644\nindex 0000000..e69de29\n").files[0].kind ==
          ChangeKind::create);
    CHECK(parse("diff --git a/n b/n\ndeleted file mode 100644\nindex " + kEmptyBlob + ".." + kNullId + "\n")
              .files[0]
              .kind == ChangeKind::remove);
  }
  SECTION("mode") {
    const FilePatch file = parse("diff --git a/a b b/a b\nold mode 100644\nnew mode 100755\n").files[0];
    CHECK(file.new_path == "a b");
    CHECK(file.old_mode == FileMode::regular);
    CHECK(file.new_mode == FileMode::executable);
  }
  SECTION("rename") {
    const FilePatch file =
        parse("diff --git a/d/f b/g\nsimilarity index 90%\nrename from d/f\nrename to g\n--- a/d/f\n+++ b/g\n" + kHunk)
            .files[0];
    CHECK(file.kind == ChangeKind::rename);
    CHECK(file.old_path == "d/f");
    CHECK(file.new_path == "g");
    CHECK(file.similarity == 90);
  }
  SECTION("copy with quoted names") {
    const FilePatch file =
        parse("diff --git \"a/t\\t\" b/g\nsimilarity index 100%\ncopy from \"t\\t\"\ncopy to g\n").files[0];
    CHECK(file.kind == ChangeKind::copy);
    CHECK(file.old_path == "t\t");
  }
  SECTION("plain diff -u") {
    const PatchFile patch = parse(
        "Index: f\n=====\n--- a/f\t2020-01-01 00:00:00 +0000\n+++ b/f\t2020-01-01 00:00:00 +0000\n" + kHunk +
        "diff -ru a/g b/g\n--- /dev/null\n+++ b/g\n@@ -0,0 +1 @@\n+x\n--- a/h\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n");
    REQUIRE(patch.files.size() == 3);
    CHECK(patch.files[0].kind == ChangeKind::modify);
    CHECK(patch.files[1].kind == ChangeKind::create);
    CHECK(patch.files[1].new_mode == FileMode::regular);
    CHECK(patch.files[2].kind == ChangeKind::remove);
  }
  SECTION("a series of mails") {
    const std::string mail = "From 0123 Mon Sep 17 00:00:00 2001\nSubject: x\n\n- point\n+ point\n---\n f | 2 +-\n\n";
    const PatchFile patch = parse(mail + kModify + "-- \n2.39.5\n\n" + mail +
                                  "diff --git a/g b/g\nold mode 100644\nnew mode 100755\n-- \n2.39.5\n");
    CHECK(patch.preamble == mail);
    REQUIRE(patch.files.size() == 2);
    CHECK(patch.files[1].new_path == "g");
  }
}

TEST_CASE("parse_patch: refuses what git would apply in part or elsewhere", "[patch]") {
  struct Row {
    std::string text;
    std::string message;
  };
  const std::string big = "4294967297";
  const std::vector<Row> rows = {
      // counts and starts
      {kHeader + "@@ -2147483648,3 +1,3 @@\n l1\n-l2\n+L2\n l3\n", "line 5: malformed hunk header"},
      {kHeader + "@@ -1," + big + " +1,3 @@\n l1\n-l2\n+L2\n l3\n", "line 5: malformed hunk header"},
      {kHeader + "@@ --1,3 +1,3 @@\n l1\n-l2\n+L2\n l3\n", "line 5: malformed hunk header"},
      {kHeader + "@@ -0,3 +1,3 @@\n l1\n-l2\n+L2\n l3\n", "line 5: malformed hunk header"},
      {kHeader + "@@ -1,3 +1,3\n l1\n-l2\n+L2\n l3\n", "line 5: malformed hunk header"},
      {kHeader + "@ -1,3 +1,3 @@\n l1\n-l2\n+L2\n l3\n", "line 5: a hunk is missing here"},
      {kHeader + "@@ -1,4 +1,4 @@\n l1\n-l2\n+L2\n l3\n", "line 10: the patch ends inside a hunk"},
      {kHeader + "@@ -1,3 +1,4 @@\n l1\n-l2\n+L2\n l3\n" + kModify, "line 10: the hunk has fewer lines"},
      {kHeader + "@@ -1,2 +1,3 @@\n l1\n-l2\n l3\n+L2\n", "line 8: the hunk has more lines"},
      {kHeader + "@@ -1,2 +1,2 @@\n l1\n-l2\n+L2\n l3\n", "line 9: this line is not part of a patch: ' l3'"},
      {kHeader + "@@ -1 +1 @@\n l1\n", "line 5: the hunk changes nothing"},
      {kHeader + "@@ -0,0 +0,0 @@\n", "line 5: the hunk changes nothing"},
      // lines that belong to no hunk
      {kModify + "+stray\n", "line 10: this line is not part of a patch: '+stray'"},
      {kModify + "-stray\n", "line 10: this line is not part of a patch"},
      {kModify + "\\ No newline at end of file\n\\ No newline at end of file\n", "line 11: this line is not part"},
      {kModify + "-- \n2.39.5\n@@ -1 +1 @@\n-a\n+b\n", "line 12: a hunk without a file header"},
      {kHunk, "line 1: a hunk without a file header"},
      {"dif --git a/f b/f\nold mode 100644\nnew mode 100755\n" + kModify, "line 2: a header line without 'diff --git'"},
      {"diff  --git a/f b/f\n" + kSides + kHunk, "line 1: damaged file header"},
      {"diff --cc f\nindex 1,2..3\n", "line 1: this diff format is not supported"},
      {"Binary files a/x and b/x differ\n" + kModify, "line 1: this change of a binary file has no data"},
      {"diff --git a/x b/x\nindex 1111111..2222222 100644\nBinary files a/x and b/x differ\n",
       "line 3: this change of a binary file has no data"},
      // names
      {"diff --git a/f b/g\n--- a/f\n+++ b/g\n" + kHunk, "line 1: the lines of this header name different files"},
      {"diff --git a/f b/f\n--- a/g\n+++ b/g\n" + kHunk, "line 1: the lines of this header name different files"},
      {"diff --git a/f b/h\nrename from g\nrename to h\n", "line 1: the lines of this header name different files"},
      {"diff --git a/f b/g\nold mode 100644\nnew mode 100755\n", "line 1: the two names in the header differ"},
      {"--- aa/\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n", "line 1: this line has no file name below a first component"},
      {"diff --git f f\n--- f\n+++ f\n" + kHunk, "line 2: this line has no file name below a first component"},
      {"--- a/f.orig\n+++ b/f\n" + kHunk, "line 1: the lines '---' and '+++' name different files"},
      {"diff --git a/f b/f\nrename from f\nrename to f\n", "line 1: a file is renamed or copied to itself"},
      {"diff --git a/f b/f/g\nrename from f\nrename to f/g\n",
       "line 1: a file is renamed or copied to a place below itself"},
      {"diff --git \"a/f b/f\nrename from \"f\nrename to g\n", "line 2: malformed quoted name"},
      // /dev/null
      {"diff --git a/f b/f\n--- /dev/null\n+++ /dev/null\n@@ -0,0 +1 @@\n+x\n", "both sides are /dev/null"},
      {"diff --git a/f b/f\n--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n", "line 1: /dev/null contradicts the header"},
      {"diff --git a/f b/f\nnew file mode 100644\n" + kSides + "@@ -0,0 +1 @@\n+x\n",
       "line 1: /dev/null contradicts the header"},
      {"--- a/f\t2020-01-01 00:00:00 +0000\n+++ b/f\t1970-01-01 00:00:00 +0000\n@@ -1 +0,0 @@\n-x\n",
       "line 1: a date of 1970"},
      // headers that contradict themselves or are not whole
      {"diff --git a/f b/g\nrename from f\n", "line 1: the lines of this header contradict each other"},
      {"diff --git a/f b/g\nrename from f\ncopy to g\n", "line 1: the lines of this header contradict each other"},
      {"diff --git a/f b/f\nold mode 100644\n", "line 1: the lines of this header contradict each other"},
      {"diff --git a/f b/f\nnew file mode 100644\ndeleted file mode 100644\n",
       "line 1: the lines of this header contradict"},
      {"diff --git a/f b/f\nold mode 100644\nold mode 100644\n", "line 3: this header line occurs twice"},
      {"diff --git a/f b/f\nold mode 100644\nnew mode 100755", "line 3: the patch ends inside a header"},
      {"diff --git a/f b/f\n", "line 1: this header changes nothing"},
      {"diff --git a/f b/f\nold mode 100644\nnew mode 100644\n", "line 1: this header changes nothing"},
      {"diff --git a/f b/f\nindex 1111111..2222222 100644\n", "line 1: the header announces a changed file"},
      {"diff --git a/f b/f\nindex 1111111..zzzzzzz\n", "line 2: malformed index line"},
      {"diff --git a/f b/g\nsimilarity index 90%\nrename from f\nrename to g\n",
       "line 1: the header announces changed lines"},
      {"diff --git a/f b/g\nsimilarity index 101%\nrename from f\nrename to g\n", "line 2: malformed percentage"},
      {"diff --git a/f b/f\nnew file mode 100644\n", "line 1: the created file has no content"},
      {"diff --git a/f b/f\ndeleted file mode 100644\nindex 1111111..0000000\n",
       "line 1: the removed file's content is missing"},
      {"diff --git a/f b/f\nnew file mode 100644\n--- /dev/null\n+++ b/f\n" + kHunk,
       "line 1: the created file has context or removed lines"},
      {"diff --git a/f b/f\ndeleted file mode 100644\n--- a/f\n+++ /dev/null\n" + kHunk,
       "line 1: the removed file has context or added lines"},
      {"diff --git a/f b/f\n--- a/f\n--- a/f\n+++ b/f\n" + kHunk, "line 3: a line with '+++ ' is missing here"},
      {"diff --git a/f b/f\n+++ b/f\n--- a/f\n" + kHunk, "line 2: a line with '--- ' is missing here"},
      {kHeader, "line 5: a hunk is missing here"},
      // no newline
      {kHeader + "@@ -1,3 +1,3 @@\n l1\n-l2\n+L2\n\\ No newline at end of file\n l3\n",
       "line 5: a line without newline is not the last"},
      {kHeader + "@@ -1 +1 @@\n-l1\n+L1", "line 7: the patch ends inside a hunk"},
      // not a patch at all
      {"", "no file change found"},
      {"hello\nworld\n", "no file change found"},
      {"*** a/f\n--- b/f\n***************\n*** 1,3 ****\n  l1\n", "no file change found"},
      {"--- a/f\n+++ b/f\n1c\nr !touch x\n.\n", "line 3: a hunk is missing here"},
      {"\xEF\xBB\xBF" + kModify, "line 1: the patch begins with a byte order mark"},
      {join(split(kModify, '\n'), "\r"), "line 1: the patch ends inside a header"},
  };
  for (const Row& row : rows) {
    INFO(row.text);
    const std::string found = refusal(row.text);
    INFO(found);
    CHECK(starts_with(found, "patch 'p', line "));
    CHECK(found.find(row.message) != std::string::npos);
  }
}

TEST_CASE("parse_patch: refuses modes that are not those of files as unsafe", "[patch]") {
  for (const char* mode : {"040000", "000000", "777777", "100648", "-100644", "104755", "10064", "1006440", ""}) {
    INFO(mode);
    for (const std::string& text : {concat("diff --git a/f b/f\nold mode 100644\nnew mode ", mode, "\n"),
                                    concat("diff --git a/f b/f\nnew file mode ", mode, "\nindex 0000000..e69de29\n")}) {
      try {
        parse(text);
        FAIL("accepted");
      } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::unsafe);
      }
    }
  }
}

TEST_CASE("parse_patch: what is printed parses to the same", "[patch]") {
  const std::string text = "Description: x\n\n" + kModify +
                           "diff --git \"a/t\\t\" \"b/t\\t\"\nold mode 100644\nnew mode 100755\nindex "
                           "1111111..2222222\n--- \"a/t\\t\"\n+++ \"b/t\\t\"\n" +
                           kHunk +
                           "diff --git a/a b b/a b\nnew file mode 100644\nindex 0000000..1111111\n--- /dev/null\n+++ "
                           "b/a b\t\n@@ -0,0 +1 @@\n+x\n\\ No newline at end of file\n";
  CHECK(print_patch(parse(text)) == text);
}

TEST_CASE("touched_paths: names all that may be read", "[patch]") {
  const PatchFile patch = parse("diff --git a/x/f b/d/e/g\nrename from x/f\nrename to d/e/g\n" + kModify);
  CHECK(touched_paths(patch) == std::set<std::string>{"d", "d/e", "d/e/g", "f", "x", "x/f"});
}

}  // namespace torchpatch::patch
