// SPDX-License-Identifier: BSD-3-Clause
// A patch that was cut off never gives part of its change (reliability C 74).

#include "fuzz/memory_files.h"
#include "patch/patch_file.h"
#include "support/catch.h"
#include "support/text.h"
#include "unit/patch/git_oracle.h"

namespace torchpatch::patch {
namespace {

std::optional<Tree> apply_text(const Tree& tree, const std::string& text) {
  MemoryFiles files(tree);
  try {
    return files.with(apply_patch(parse_patch(text, "p"), files).changes).files();
  } catch (const Error&) {
    return std::nullopt;
  }
}

const Tree kTree = {
    {"f", {FileMode::regular, "l1\nl2\nl3\n"}}, {"g", {FileMode::regular, "g\n"}}, {"e", {FileMode::regular, ""}}};

}  // namespace

TEST_CASE("apply_patch: refuses a change that is cut off at any byte", "[patch]") {
  const std::string ids = concat(std::string(40, '1'), "..", std::string(40, '2'));
  const std::vector<std::string> changes = {
      concat("diff --git a/f b/f\nindex ", ids, " 100644\n--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n l1\n-l2\n+L2\n l3\n"),
      concat("diff --git a/n b/n\nnew file mode 100644\nindex ", ids,
             "\n--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+a\n+b\n"),
      concat("diff --git a/g b/g\ndeleted file mode 100644\nindex ", ids,
             "\n--- a/g\n+++ /dev/null\n@@ -1 +0,0 @@\n-g\n"),
      concat("diff --git a/f b/h\nsimilarity index 60%\nrename from f\nrename to h\nindex ", ids,
             " 100644\n--- a/f\n+++ b/h\n@@ -1,3 +1,3 @@\n l1\n-l2\n+L2\n l3\n"),
      "diff --git a/n b/n\nnew file mode 100644\nindex 0000000..e69de29\n",
      "diff --git a/e b/e\ndeleted file mode 100644\nindex e69de29..0000000\n",
      "diff --git a/f b/f\nold mode 100644\nnew mode 100755\n",
      "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n l1\n-l2\n+L2\n l3\n",
  };
  for (const std::string& change : changes) {
    REQUIRE(apply_text(kTree, change));
    for (std::size_t length = 0; length < change.size(); ++length) {
      INFO(change.substr(0, length));
      CHECK(!apply_text(kTree, change.substr(0, length)));
    }
  }
}

TEST_CASE("apply_patch: a patch cut off between two files is the patch of the first", "[patch]") {
  const std::string first = "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n l1\n-l2\n+L2\n l3\n";
  const std::string second = "diff --git a/g b/g\nold mode 100644\nnew mode 100755\n";
  const std::optional<Tree> half = apply_text(kTree, first);
  const std::string whole = first + second;
  for (std::size_t length = 1; length < whole.size(); ++length) {
    const std::optional<Tree> result = apply_text(kTree, whole.substr(0, length));
    INFO(length);
    CHECK(result.has_value() == (length == first.size()));
    if (result) CHECK((result == half));
  }
}

}  // namespace torchpatch::patch
