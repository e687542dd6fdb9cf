// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/memory_files.h"
#include "patch/patch_file.h"
#include "support/catch.h"
#include "support/digest.h"
#include "support/print_patch.h"
#include "support/text.h"
#include "unit/patch/git_oracle.h"

namespace torchpatch::patch {
namespace {

const std::string kBody = "l1\nl2\nl3\nl4\nl5\n";
const std::string kCommit(40, 'a');

Tree base_tree() {
  return {{"f", {FileMode::regular, kBody}},     {"x.sh", {FileMode::executable, "#!/bin/sh\n"}},
          {"link", {FileMode::link, "/tmp"}},    {"dir/in", {FileMode::regular, kBody}},
          {"sub", {FileMode::gitlink, kCommit}}, {"empty", {FileMode::regular, ""}}};
}

std::string create(const std::string& path, const std::string& mode = "100644") {
  return concat("diff --git a/", path, " b/", path, "\nnew file mode ", mode, "\n--- /dev/null\n+++ b/", path,
                "\n@@ -0,0 +1 @@\n+new\n");
}
std::string modify(const std::string& path) {
  return concat("diff --git a/", path, " b/", path, "\n--- a/", path, "\n+++ b/", path,
                "\n@@ -1,3 +1,3 @@\n l1\n-l2\n+L2\n l3\n");
}
std::string move(const std::string& verb, const std::string& from, const std::string& to) {
  return concat("diff --git a/", from, " b/", to, "\n", verb, " from ", from, "\n", verb, " to ", to, "\n");
}
std::string rename(const std::string& from, const std::string& to) { return move("rename", from, to); }
std::string copy(const std::string& from, const std::string& to) { return move("copy", from, to); }
std::string remove_link() {
  return "diff --git a/link b/link\ndeleted file mode 120000\n--- a/link\n+++ /dev/null\n@@ -1 +0,0 @@\n-/tmp\n"
         "\\ No newline at end of file\n";
}
std::string remove_script(const std::string& line = "#!/bin/sh") {
  return "diff --git a/x.sh b/x.sh\ndeleted file mode 100755\n--- a/x.sh\n+++ /dev/null\n@@ -1 +0,0 @@\n-" + line +
         "\n";
}

Tree apply_text(const std::string& patch, const Tree& tree = base_tree()) {
  MemoryFiles files(tree);
  return files.with(apply_patch(parse_patch(patch, "p"), files).changes).files();
}

/// "class: path: message" of the apply_refusal, "unsafe: …", or "accepted".
std::string apply_refusal(const std::string& patch) {
  try {
    apply_text(patch);
    return "accepted";
  } catch (const ApplyError& error) {
    return error.message();
  } catch (const Error& error) {
    return (error.kind() == ErrorKind::unsafe ? "unsafe: " : "other: ") + error.message();
  }
}

}  // namespace

TEST_CASE("apply_patch: makes, changes and takes away files", "[patch]") {
  CHECK(apply_text(modify("f"))["f"].bytes == "l1\nL2\nl3\nl4\nl5\n");
  CHECK(apply_text(create("n/new"))["n/new"].bytes == "new\n");
  CHECK(apply_text(create("n", "120000"))["n"] == TreeFile{FileMode::link, "new\n"});
  CHECK(!apply_text(remove_script()).contains("x.sh"));
  CHECK(apply_text(copy("f", "g"))["g"].bytes == kBody);
  const Tree renamed = apply_text(rename("x.sh", "y.sh"));
  CHECK(!renamed.contains("x.sh"));
  CHECK(renamed.at("y.sh") == TreeFile{FileMode::executable, "#!/bin/sh\n"});
  CHECK(apply_text("diff --git a/f b/f\nold mode 100644\nnew mode 100755\n")["f"].mode == FileMode::executable);
  CHECK(
      !apply_text("diff --git a/empty b/empty\ndeleted file mode 100644\nindex e69de29..0000000\n").contains("empty"));
}

TEST_CASE("apply_patch: changes the commit of a submodule", "[patch]") {
  const std::string next(40, 'b');
  const std::string header = "diff --git a/sub b/sub\n--- a/sub\n+++ b/sub\n@@ -1 +1 @@\n-Subproject commit ";
  CHECK(apply_text(header + kCommit + "\n+Subproject commit " + next + "\n")["sub"] ==
        TreeFile{FileMode::gitlink, next});
  CHECK(apply_text(header + kCommit + "\n+Subproject commit " + next + "-dirty\n")["sub"].bytes == next);
  CHECK(starts_with(apply_refusal(header + kCommit + "\n+some text\n"),
                    "conflict: 'sub': the result is not a 'Subproject commit' line"));
  CHECK(starts_with(apply_refusal(header + next + "\n+Subproject commit " + std::string(40, 'c') + "\n"),
                    "conflict: 'sub', hunk 1: line 1"));
  CHECK(starts_with(apply_refusal(create("new_sub", "160000")),
                    "conflict: 'new_sub': the result is not a 'Subproject commit' line"));
}

TEST_CASE("apply_patch: several changes may meet in one path", "[patch]") {
  SECTION("two names are swapped") {
    const Tree tree = apply_text(rename("f", "x.sh") + rename("x.sh", "f"));
    CHECK(tree.at("x.sh") == base_tree().at("f"));
    CHECK(tree.at("f") == base_tree().at("x.sh"));
  }
  SECTION("a file is modified twice") {
    const std::string second = "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n l1\n-L2\n+LL\n l3\n";
    CHECK(apply_text(modify("f") + second)["f"].bytes == "l1\nLL\nl3\nl4\nl5\n");
  }
  SECTION("a copy reads the file before the patch, wherever it stands") {
    CHECK(apply_text(modify("f") + copy("f", "g"))["g"].bytes == kBody);
    CHECK(apply_text(copy("f", "g") + rename("f", "h"))["g"].bytes == kBody);
    CHECK(apply_text(rename("f", "h") + copy("f", "g"))["g"].bytes == kBody);
  }
  SECTION("a removed link makes room for a directory") {
    CHECK(apply_text(remove_link() + create("link/ok"))["link/ok"].bytes == "new\n");
  }
  SECTION("a file replaces a directory") {
    const Tree tree = apply_text(rename("dir/in", "dir"));
    CHECK(tree.at("dir").bytes == kBody);
    CHECK(!tree.contains("dir/in"));
  }
}

TEST_CASE("apply_patch: says why a patch does not apply", "[patch]") {
  struct Row {
    std::string patch;
    std::string message;
  };
  const std::vector<Row> rows = {
      {modify("nope"), "file absent: 'nope': no such file"},
      {modify("dir"), "file absent: 'dir': no such file"},
      {modify("link"), "conflict: 'link', hunk 1: line 1 should be 'l1', but is '/tmp' without newline"},
      {modify("x.sh"), "conflict: 'x.sh', hunk 1: line 1 should be 'l1', but is '#!/bin/sh'"},
      {modify("f") + modify("f"), "conflict: 'f', hunk 1: line 2 should be 'l2', but is 'L2'"},
      {remove_script("other"), "conflict: 'x.sh', hunk 1: line 1 should be 'other', but is '#!/bin/sh'"},
      {"diff --git a/f b/f\ndeleted file mode 100644\n--- a/f\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-l1\n-l2\n",
       "conflict: 'f', hunk 1: it matches only at the end of the file, which has 5 lines"},
      {"diff --git a/f b/f\ndeleted file mode 100644\nindex e69de29..0000000\n",
       "conflict: 'f': the file has more content than the patch removes"},
      {create("f"), "file exists: 'f': the patch creates this file, but it already exists"},
      {create("dir"), "file exists: 'dir': the patch creates this file, but it is a directory"},
      {create("n") + create("n"), "file exists: 'n': the patch creates this file twice"},
      {create("n") + create("n/m"), "file exists: 'n': the patch creates 'n/m', but this is a file"},
      {create("f/child"), "file exists: 'f': the patch creates 'f/child', but this is a file"},
      {rename("nope", "n"), "file absent: 'nope': no such file"},
      {rename("dir", "n"), "file absent: 'dir': no such file"},
      {rename("f", "x.sh"), "file exists: 'x.sh': the patch creates this file, but it already exists"},
      {rename("f", "g") + rename("f", "h"), "conflict: 'f': the patch already removed or renamed this file"},
      {rename("f", "g") + modify("f"), "conflict: 'f': the patch already removed or renamed this file"},
      {rename("f", "g") + modify("g"), "conflict: 'g': the patch creates this file and then modifies it"},
      {copy("f", "g") + modify("g"), "conflict: 'g': the patch creates this file and then modifies it"},
      {modify("f") + rename("f", "g"), "conflict: 'f': the patch changes this file and then deletes it"},
      {remove_script() + modify("x.sh"), "conflict: 'x.sh': the patch already removed or renamed this file"},
      {"diff --git a/f b/f\nold mode 100644\nnew mode 120000\n",
       "conflict: 'f': found mode 100644, the patch needs 100644 and 120000"},
      {"diff --git a/f b/f\nold mode 120000\nnew mode 160000\n",
       "conflict: 'f': found mode 100644, the patch needs 120000 and 160000"},
      {modify("f") + modify("nope"), "file absent: 'nope': no such file"},
  };
  for (const Row& row : rows) {
    INFO(row.patch);
    CHECK(apply_refusal(row.patch) == row.message);
  }
}

TEST_CASE("apply_patch: lists every hunk that fits nowhere, of all files", "[patch]") {
  const auto hunk = [](int line, const std::string& text) {
    return concat("@@ -", line, " +", line, " @@\n-", text, "\n+x\n");
  };
  const std::string in_f =
      "diff --git a/f b/f\n--- a/f\n+++ b/f\n" + hunk(1, "k1") + "@@ -2,3 +2,3 @@\n l2\n-l3\n+x\n l4\n" + hunk(5, "k5");
  const std::string of_f =
      "conflict: 'f', hunk 1: line 1 should be 'k1', but is 'l1'; hunk 3: line 5 should be 'k5', but is 'l5'";
  const std::string of_script = "; 'x.sh', hunk 1: line 1 should be 'l1', but is '#!/bin/sh'";
  CHECK(apply_refusal(in_f) == of_f);
  CHECK(apply_refusal(in_f + modify("dir/in") + modify("x.sh")) == of_f + of_script);
  CHECK(apply_refusal(in_f + modify("nope") + modify("x.sh")) == of_f);  // what comes behind it is not looked at
  // a hunk behind one that adds lines is looked for where it would stand
  Tree repeating = base_tree();
  repeating["f"].bytes = "a\nb\nc\na\nb\nc\nd\n";
  const std::string growing =
      "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1,2 @@\n-x\n+y\n+z\n@@ -4,3 +5,3 @@\n a\n-b\n+B\n c\n";
  MemoryFiles files(repeating);
  CHECK_THROWS_WITH(apply_patch(parse_patch(growing, "p"), files),
                    Catch::Contains("hunk 1: line 1 should be 'x'") && !Catch::Contains("hunk 2"));
  std::string many = "diff --git a/f b/f\n--- a/f\n+++ b/f\n";
  for (int i = 0; i < 30; ++i) many += hunk(1, "k");
  const std::string message = apply_refusal(many);
  CHECK_THAT(message, Catch::Contains("; hunk 20: "));
  CHECK(ends_with(message, "; no further hunk was tried"));
}

TEST_CASE("apply_patch: refuses unsafe places", "[patch]") {
  for (const char* path : {"../evil", "a/../../evil", "/etc/passwd", "./x", "dir//z", "dir/", ".git/config", ".GIT/x",
                           "git~1/x", "dir/.git/x", "sub/.git/hooks/x", "a\rb", ".git /x", "link/evil", "sub/evil"}) {
    INFO(path);
    CHECK(starts_with(apply_refusal(create(path)), "unsafe: "));
    CHECK(starts_with(apply_refusal(rename("f", path)), "unsafe: "));
    CHECK(starts_with(apply_refusal(copy("f", path)), "unsafe: "));
  }
  CHECK(starts_with(apply_refusal(rename("../f", "g")), "unsafe: "));
  CHECK(starts_with(apply_refusal(modify("../f")), "unsafe: "));
  CHECK(starts_with(apply_refusal(create("n", "120000") + create("n/evil")), "unsafe: "));
  CHECK(starts_with(apply_refusal(rename("link", "n") + create("n/evil")), "unsafe: "));
  CHECK(starts_with(apply_refusal(rename("link", "n") + create("link/evil")), "unsafe: "));
  for (const char* name : {".gitmodules", ".GITMODULES", "gitmod~1"})
    CHECK(starts_with(apply_refusal(create(name, "120000")), "unsafe: "));
}

TEST_CASE("apply_patch: tells an applied patch from a conflict", "[patch]") {
  const auto again = [](const std::string& patch) {
    MemoryFiles files(apply_text(patch));
    try {
      apply_patch(parse_patch(patch, "p"), files);
    } catch (const ApplyError& error) {
      return error.failure();
    }
    throw std::logic_error("applies twice");
  };
  CHECK(again(modify("f")) == Failure::already_applied);
  CHECK(again(create("n")) == Failure::already_applied);
  CHECK(again(remove_script()) == Failure::already_applied);
  CHECK(again(rename("f", "g") + modify("dir/in")) == Failure::already_applied);
  // A copy cannot be taken back, so nobody knows.
  CHECK(again(copy("f", "g")) == Failure::file_exists);
}

TEST_CASE("apply_patch: checks both ids of a binary change", "[patch]") {
  const std::string old_id = git_blob_id(kBody).hex();
  const std::string next("a\0b", 3);
  const auto binary = [&](const std::string& before, const std::string& after, const BinaryHunk& forward) {
    FilePatch file{ChangeKind::modify, "f", "f", {}, {}, {}, before, after, {}, BinaryChange{forward, std::nullopt}};
    return print_patch({"", {file}});
  };
  const BinaryHunk literal{BinaryMethod::literal, next};
  CHECK(apply_text(binary(old_id, git_blob_id(next).hex(), literal))["f"].bytes == next);
  CHECK(starts_with(apply_refusal(binary(kCommit, git_blob_id(next).hex(), literal)),
                    concat("wrong content: 'f': found blob ", old_id, ", the patch needs ", kCommit)));
  CHECK(starts_with(apply_refusal(binary(old_id, kCommit, literal)), "conflict: 'f': the binary patch produces blob "));
  CHECK(starts_with(apply_refusal(binary(old_id, kCommit, {BinaryMethod::delta, next})),
                    "conflict: 'f': the binary delta does not match the file"));
}

TEST_CASE("apply_patch: reports hunks that moved and modes that differ", "[patch]") {
  Tree tree = base_tree();
  tree["f"] = {FileMode::executable, "new\n" + kBody};
  MemoryFiles files(tree);
  const std::string patch =
      "diff --git a/f b/f\nindex 1111111..2222222 100644\n--- a/f\n+++ b/f\n@@ -2,3 +2,3 @@\n l2\n-l3\n+L3\n l4\n";
  const Applied applied = apply_patch(parse_patch(patch, "p"), files);
  REQUIRE(applied.moved.size() == 1);
  CHECK(applied.moved[0].path == "f");
  CHECK(applied.moved[0].hunk == 1);
  CHECK(applied.moved[0].offset == 1);
  CHECK(applied.other_modes == std::vector<std::string>{"f"});
  CHECK(applied.changes.at("f")->mode == FileMode::executable);
}

TEST_CASE("apply_patch: bounds what copies make", "[patch]") {
  MemoryFiles files({{"f", {FileMode::regular, std::string(64u << 20, 'x')}}});
  std::string patch;
  for (int i = 0; i < 5; ++i) patch += copy("f", concat("g", i));
  CHECK_THROWS_WITH(apply_patch(parse_patch(patch, "p"), files), Catch::Contains("creates more than 268435456 bytes"));
}

}  // namespace torchpatch::patch
