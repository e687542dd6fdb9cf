// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/memory_files.h"
#include "patch/patch_file.h"
#include "support/catch.h"
#include "support/print_patch.h"

namespace torchpatch::patch {
namespace {

const std::string kHunkToReverse = "@@ -1,3 +1,4 @@\n l1\n-l2\n+L2\n+M2\n l3\n";
const std::string kModifyToReverse =
    "diff --git a/f b/f\nindex 1111111..2222222 100644\n--- a/f\n+++ b/f\n" + kHunkToReverse;

PatchFile reversed(const std::string& text) { return reverse_patch(parse_patch(text, "p")); }

}  // namespace

TEST_CASE("reverse_patch: swaps the sides", "[patch]") {
  CHECK(print_patch(reversed(kModifyToReverse)) ==
        "diff --git a/f b/f\nindex 2222222..1111111 100644\n--- a/f\n+++ b/f\n@@ -1,4 +1,3 @@\n l1\n+l2\n-L2\n-M2\n "
        "l3\n");
  CHECK(print_patch(reversed("diff --git a/f b/g\nold mode 100644\nnew mode 100755\nsimilarity index 100%\nrename from "
                             "f\nrename to g\n")) ==
        "diff --git a/g b/f\nold mode 100755\nnew mode 100644\nsimilarity index 100%\nrename from g\nrename to f\n");
  CHECK(print_patch(reversed("diff --git a/f b/f\nnew file mode 100755\nindex 0000000..e69de29\n")) ==
        "diff --git a/f b/f\ndeleted file mode 100755\nindex e69de29..0000000\n");
}

TEST_CASE("reverse_patch: goes back through the files, and makes room first", "[patch]") {
  const std::string create = "diff --git a/n b/n\nnew file mode 100644\nindex 0000000..e69de29\n";
  const PatchFile reverse = reversed(create + kModifyToReverse + "diff --git a/g b/h\nrename from g\nrename to h\n");
  REQUIRE(reverse.files.size() == 3);
  CHECK(reverse.files[0].kind == ChangeKind::remove);
  CHECK(reverse.files[1].kind == ChangeKind::rename);
  CHECK(reverse.files[2].kind == ChangeKind::modify);
}

TEST_CASE("reverse_patch: refuses what it cannot know", "[patch]") {
  CHECK_THROWS_WITH(reversed("diff --git a/f b/g\ncopy from f\ncopy to g\n"),
                    "reverting the change of 'g': a copy cannot be reverted");
  const std::string one_sided =
      "diff --git a/e b/e\nnew file mode 100644\nindex 0000000000000000000000000000000000000000.."
      "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391\nGIT binary patch\nliteral 0\nHcmV?d00001\n\n";
  CHECK_THROWS_WITH(reversed(one_sided), "reverting the change of 'e': the binary patch has no reverse data");
}

TEST_CASE("reverse_patch: takes a patch back exactly", "[patch]") {
  const std::map<std::string, TreeFile> tree = {{"f", {FileMode::regular, "l1\nl2\nl3\n"}},
                                                {"g", {FileMode::executable, "g"}},
                                                {"d/in", {FileMode::regular, "in\n"}}};
  const std::string text =
      kModifyToReverse + "diff --git a/g b/d/g\nrename from g\nrename to d/g\n" +
      "diff --git a/d/in b/d/in\ndeleted file mode 100644\n--- a/d/in\n+++ /dev/null\n@@ -1 +0,0 @@\n-in\n";
  const PatchFile patch = parse_patch(text, "p");
  MemoryFiles before(tree);
  MemoryFiles after = before.with(apply_patch(patch, before).changes);
  REQUIRE(after.files() != tree);
  CHECK(after.with(apply_patch(reverse_patch(patch), after).changes).files() == tree);
}

}  // namespace torchpatch::patch
