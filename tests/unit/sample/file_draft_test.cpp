// SPDX-License-Identifier: BSD-3-Clause
#include "sample/write_repositories.h"

#include "patch/patch_file.h"
#include "support/catch.h"
#include "support/text.h"
#include "unit/git/raises.h"
#include "unit/sample/draft_files.h"

namespace torchpatch::sample {

using test::DraftFiles;
using test::message_of;

namespace {

std::string hunk_of(const std::string& path, const std::string& hunk) {
  return concat("diff --git a/", path, " b/", path, "\n--- a/", path, "\n+++ b/", path, "\n", hunk);
}

FileDrafts drafts_for(const std::vector<std::string>& patches) {
  FileDrafts drafts;
  for (std::size_t i = 0; i < patches.size(); ++i)
    expect_patch(patch::parse_patch(patches[i], "p"), concat("p", i + 1), drafts);
  return drafts;
}

/// Applies `text`, all of it at the stated lines; returns the file at `path` after it.
std::string applied(const std::string& text, const FileDrafts& drafts, const std::string& path) {
  DraftFiles files(drafts);
  const patch::Applied result = patch::apply_patch(patch::parse_patch(text, "p"), files);
  CHECK(result.moved.empty());
  REQUIRE(result.changes.at(path).has_value());
  return result.changes.at(path)->bytes;
}

const std::string kHunk = "@@ -3,3 +3,3 @@\n one\n-two\n+2\n three\n";

}  // namespace

TEST_CASE("expect_patch: the expected lines stand where the patch says, filler in the file's language elsewhere") {
  const FileDrafts drafts = drafts_for({hunk_of("a/b.cpp", kHunk)});
  CHECK(draft_content("a/b.cpp", drafts.at("a/b.cpp")) ==
        "// torchpatch stand-in, line 1: nothing of upstream's\n"
        "// torchpatch stand-in, line 2: nothing of upstream's\n"
        "one\ntwo\nthree\n"
        "// torchpatch stand-in, line 6: nothing of upstream's\n"
        "// torchpatch stand-in, line 7: nothing of upstream's\n"
        "// torchpatch stand-in, line 8: nothing of upstream's\n"
        "// torchpatch stand-in, line 9: nothing of upstream's\n"
        "// torchpatch stand-in, line 10: nothing of upstream's\n");
  CHECK(starts_with(draft_content("x.py", {}), "# "));
}

TEST_CASE("expect_patch: every form of patch applies to what was made up for it") {
  const auto content_of = [](const std::string& text, const std::string& path) {
    return applied(text, drafts_for({text}), path);
  };
  SECTION("a hunk") {
    CHECK_THAT(content_of(hunk_of("f.py", kHunk), "f.py"), Catch::Contains("one\n2\nthree\n# torchpatch"));
  }
  SECTION("a hunk at the end of its file") {
    CHECK(ends_with(content_of(hunk_of("f", "@@ -3,2 +3,3 @@\n one\n two\n+three\n"), "f"), "two\nthree\n"));
  }
  SECTION("a last line without newline") {
    const std::string hunk = "@@ -2,2 +2,2 @@\n one\n-two\n\\ No newline at end of file\n+2\n";
    CHECK(ends_with(content_of(hunk_of("f", hunk), "f"), "one\n2\n"));
  }
  SECTION("a mode") {
    const std::string text = "diff --git a/f b/f\nold mode 100755\nnew mode 100644\n";
    const FileDrafts drafts = drafts_for({text});
    CHECK(drafts.at("f").mode == FileMode::executable);
    CHECK(applied(text, drafts, "f") == draft_content("f", drafts.at("f")));
  }
  SECTION("a rename") {
    const std::string text = "diff --git a/f b/g\nsimilarity index 100%\nrename from f\nrename to g\n";
    CHECK_FALSE(content_of(text, "g").empty());
  }
  SECTION("a created file is not there before") {
    const std::string text = "diff --git a/f b/f\nnew file mode 100644\n--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+one\n";
    CHECK(drafts_for({text}).empty());
    CHECK(content_of(text, "f") == "one\n");
  }
}

TEST_CASE("expect_patch: a removed file holds nothing but what the patch removes") {
  const std::string text =
      "diff --git a/f b/f\ndeleted file mode 100755\n--- a/f\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-one\n-two\n";
  const FileDrafts drafts = drafts_for({text});
  CHECK(draft_content("f", drafts.at("f")) == "one\ntwo\n");
  CHECK(drafts.at("f").mode == FileMode::executable);
  DraftFiles files(drafts);
  CHECK_FALSE(patch::apply_patch(patch::parse_patch(text, "p"), files).changes.at("f").has_value());
}

TEST_CASE(
    "expect_patch: patches that meet in a file each find their lines, where they contradict each other it fails") {
  const std::string other = "@@ -5,3 +5,4 @@\n three\n four\n+new\n five\n";
  const FileDrafts drafts = drafts_for({hunk_of("f", kHunk), hunk_of("f", other)});
  CHECK_THAT(applied(hunk_of("f", kHunk), drafts, "f"), Catch::Contains("2\nthree\nfour\nfive\n"));
  CHECK_THAT(applied(hunk_of("f", other), drafts, "f"), Catch::Contains("two\nthree\nfour\nnew\nfive\n"));

  const auto message = [](const std::string& hunk) {
    return message_of(ErrorKind::data, [&] { drafts_for({hunk_of("f", kHunk), hunk_of("f", hunk)}); });
  };
  const std::string prefix = "making up what patch 'p2' expects of 'f': ";
  CHECK(message("@@ -4,2 +4,1 @@\n-zwei\n three\n") == prefix + "another patch has another line 4");
  CHECK(message("@@ -1,3 +1,2 @@\n a\n b\n-one\n") == prefix + "another patch expects more than 3 lines");
}

TEST_CASE("expect_patch: what cannot be made up is an error") {
  const std::string gitlink =
      "diff --git a/s b/s\nindex 1111111..2222222 160000\n--- a/s\n+++ b/s\n@@ -1 +1 @@\n-Subproject commit " +
      std::string(40, '1') + "\n+Subproject commit " + std::string(40, '2') + "\n";
  CHECK_THAT(message_of(ErrorKind::data, [&] { drafts_for({gitlink}); }), Catch::Contains("it changes a gitlink"));
}

TEST_CASE("suggest_line: a patch's line, and the end of its file, count more") {
  FileDrafts drafts = drafts_for({hunk_of("f", "@@ -3,2 +3,3 @@\n one\n two\n+three\n")});
  suggest_line("f", 3, "mine\n", drafts);
  suggest_line("f", 9, "mine\n", drafts);
  suggest_line("f", 2, "mine\n", drafts);
  const std::string content = draft_content("f", drafts.at("f"));
  CHECK(ends_with(content, "\nmine\none\ntwo\n"));
}

}  // namespace torchpatch::sample
