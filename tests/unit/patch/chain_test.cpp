// SPDX-License-Identifier: BSD-3-Clause
#include "patch/apply.h"

#include "fuzz/memory_files.h"
#include "patch/patch_file.h"
#include "support/catch.h"
#include "support/digest.h"
#include "support/text.h"

namespace torchpatch::patch {
namespace {

PatchFile edit(const std::string& from, const std::string& to, int line = 1) {
  return parse_patch(concat("diff --git a/f b/f\nindex 1111111..2222222 100644\n--- a/f\n+++ b/f\n@@ -", line, ",3 +",
                            line, ",3 @@\n l1\n-", from, "\n+", to, "\n l3\n"),
                     "p");
}

std::string body(const std::string& second) { return "l1\n" + second + "\nl3\n"; }
ObjectId id(const std::string& second) { return git_blob_id(body(second)); }

MemoryFiles tree() { return MemoryFiles({{"f", {FileMode::regular, body("l2")}}, {"link", {FileMode::link, "/tmp"}}}); }

std::string refusal(const std::vector<PatchStep>& steps, MemoryFiles files = tree()) {
  try {
    apply_series(steps, {}, files);
    return "accepted";
  } catch (const Error& error) {
    return join(error.context(), "; ") + ": " + error.message();
  }
}

}  // namespace

TEST_CASE("apply_series: each patch sees what the ones before it made", "[patch]") {
  const PatchFile first = edit("l2", "m2");
  const PatchFile second = edit("m2", "n2");
  MemoryFiles files = tree();
  const SeriesResult result = apply_series({{"first", {}, first, {}}, {"second", {}, second, {}}}, {}, files);
  REQUIRE(result.edges.size() == 2);
  CHECK(result.edges[0] == std::vector<PatchEdge>{{"f", id("l2"), id("m2")}});
  CHECK(result.edges[1] == std::vector<PatchEdge>{{"f", id("m2"), id("n2")}});
  CHECK(result.changes.at("f")->bytes == body("n2"));
  CHECK(result.moved.empty());
}

TEST_CASE("apply_series: edges of created, removed and linked files", "[patch]") {
  const std::string commit(40, 'a');
  const PatchFile patch = parse_patch(
      "diff --git a/f b/f\ndeleted file mode 100644\n--- a/f\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-l1\n-l2\n-l3\n"
      "diff --git a/s b/s\nnew file mode 160000\n--- /dev/null\n+++ b/s\n@@ -0,0 +1 @@\n+Subproject commit " +
          commit + "\n",
      "p");
  MemoryFiles files = tree();
  const SeriesResult result = apply_series({{"p", {}, patch, {}}}, {}, files);
  CHECK(result.edges[0] ==
        std::vector<PatchEdge>{{"f", id("l2"), std::nullopt}, {"s", std::nullopt, ObjectId::parse(commit)}});
}

TEST_CASE("apply_series: a certified step must find and make its blobs", "[patch]") {
  const PatchFile patch = edit("l2", "m2");
  const std::string context = "while applying 'p': wrong content: ";
  CHECK(refusal({{"p", {}, patch, {{"f", id("l2"), id("m2")}}}}) == "accepted");
  CHECK(refusal({{"p", {}, patch, {{"f", id("x2"), id("m2")}}}}) ==
        concat(context, "'f': before the patch: found blob ", id("l2").hex(), ", the certificate has blob ",
               id("x2").hex()));
  CHECK(refusal({{"p", {}, patch, {{"f", std::nullopt, id("m2")}}}}) ==
        concat(context, "'f': before the patch: found blob ", id("l2").hex(), ", the certificate has no file"));
  CHECK(refusal({{"p", {}, patch, {{"f", id("l2"), id("y2")}}}}) ==
        concat(context, "'f': after the patch: found blob ", id("m2").hex(), ", the certificate has blob ",
               id("y2").hex()));
  const ObjectId link = git_blob_id("/tmp");
  CHECK(refusal({{"p", {}, patch, {{"link", link, link}}}}) ==
        context + "'f': the patch changes this file, but no certificate lists it");
  CHECK(refusal({{"p", {}, patch, {{"f", id("l2"), id("m2")}, {"link", link, link}}}}) ==
        context + "'link': a certificate lists this file as changed, but the patch does not change it");
}

TEST_CASE("apply_series: a moved hunk is fine where the certificate agrees", "[patch]") {
  const PatchFile patch = edit("l2", "m2", 3);
  MemoryFiles files = tree();
  const SeriesResult result = apply_series({{"p", {}, patch, {{"f", id("l2"), id("m2")}}}}, {}, files);
  REQUIRE(result.moved.size() == 1);
  CHECK(result.moved[0].offset == -2);
}

TEST_CASE("apply_series: a certified step finds the modes that its patch states", "[patch]") {
  const PatchFile patch = edit("l2", "m2");
  const MemoryFiles files({{"f", {FileMode::executable, body("l2")}}});
  CHECK(refusal({{"p", {}, patch, {}}}, files) == "accepted");
  CHECK(refusal({{"p", {}, patch, {{"f", id("l2"), id("m2")}}}}, files) ==
        "while applying 'p': wrong content: 'f': its mode differs from the one in the patch");
}

TEST_CASE("apply_series: a link that leads out of its component is refused", "[patch]") {
  const auto link_to = [](const std::string& target) {
    return parse_patch(
        concat("diff --git a/d/n b/d/n\nnew file mode 120000\n--- /dev/null\n+++ b/d/n\n@@ -0,0 +1 @@\n+", target,
               "\n\\ No newline at end of file\n"),
        "p");
  };
  CHECK(refusal({{"link", {}, link_to("../f"), {}}}) == "accepted");
  CHECK(refusal({{"link", {}, link_to("/etc/passwd"), {}}}) ==
        "while applying 'link': the patch creates the link 'pytorch/d/n', which has an absolute target");
  CHECK_THAT(refusal({{"link", {}, link_to("../../x"), {}}}), Catch::Contains("points out of its component"));
}

TEST_CASE("apply_series: the rules for places hold across patches", "[patch]") {
  const PatchFile link = parse_patch(
      "diff --git a/n b/n\nnew file mode 120000\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+d\n\\ No newline at end of "
      "file\n",
      "p");
  const PatchFile through =
      parse_patch("diff --git a/n/x b/n/x\nnew file mode 100644\n--- /dev/null\n+++ b/n/x\n@@ -0,0 +1 @@\n+x\n", "p");
  const PatchFile removed = parse_patch(
      "diff --git a/n b/n\ndeleted file mode 120000\n--- a/n\n+++ /dev/null\n@@ -1 +0,0 @@\n-d\n\\ No newline at end "
      "of file\n",
      "p");
  CHECK(refusal({{"link", {}, link, {}}, {"through", {}, through, {}}}) ==
        "while applying 'through': the patch touches 'n/x', which is refused: 'n' is a symbolic link");
  CHECK(refusal({{"link", {}, link, {}}, {"removed", {}, removed, {}}, {"through", {}, through, {}}}) == "accepted");
  CHECK(refusal({{"through", {}, through, {}}, {"link", {}, link, {}}}) ==
        "while applying 'link': file exists: 'n': the patch creates this file, but it is a directory");
}

TEST_CASE("apply_series: a directory that an earlier patch emptied is free", "[patch]") {
  const PatchFile empty = parse_patch(
      "diff --git a/d/f b/d/f\ndeleted file mode 100644\n--- a/d/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n", "p");
  const PatchFile make =
      parse_patch("diff --git a/d b/d\nnew file mode 100644\n--- /dev/null\n+++ b/d\n@@ -0,0 +1 @@\n+d\n", "p");
  MemoryFiles files({{"d/f", {FileMode::regular, "x\n"}}});
  CHECK(apply_series({{"empty", {}, empty, {}}, {"make", {}, make, {}}}, {}, files).changes.at("d")->bytes == "d\n");
}

}  // namespace torchpatch::patch
