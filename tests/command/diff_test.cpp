// SPDX-License-Identifier: BSD-3-Clause
#include <sys/stat.h>
#include <unistd.h>

#include "command/toy_workspace.h"
#include "support/catch.h"
#include "support/file.h"
#include "support/text.h"

using namespace torchpatch;
using Catch::Contains;
using test::CliResult;

namespace {

struct DiffWorkspace : test::ToyWorkspace {
  explicit DiffWorkspace(bool with_override = false) {
    if (with_override) upstream.add_override();
    upstream.certify();
  }
  void prepare(const std::string& output, const std::string& board, std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"prepare", "--version", "1.1.0", "--board", board, "--mirror", upstream.mirror(),
                               "--output", path(output), "--quiet"});
    const CliResult result = run(more);
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
  }
  CliResult diff(const std::string& a, const std::string& b, std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"diff", a, b, "--quiet"});
    return run(more);
  }
  CliResult diff_trees(std::vector<std::string> more = {}) const { return diff(path("a"), path("b"), std::move(more)); }
};

const std::string kManifest = "/torchpatch/manifest.json";

}  // namespace

TEST_CASE("diff: two preparations of the same are equal, as trees and as manifests") {
  const DiffWorkspace workspace;
  workspace.prepare("a", "small");
  workspace.prepare("b", "small");
  const CliResult trees = workspace.diff_trees();
  CHECK(trees.exit_code == 0);
  CHECK(trees.err.empty());
  CHECK_THAT(trees.out, Catch::EndsWith("\nno difference\n"));
  const CliResult manifests = workspace.diff(workspace.path("a") + kManifest, workspace.path("b") + kManifest);
  CHECK(manifests.exit_code == 0);
  CHECK_THAT(manifests.out, Catch::EndsWith("no difference\n"));
  CHECK(workspace.diff("1.1.0:small", "1.1.0:small").exit_code == 0);
  CHECK(workspace.diff("1.1.0:small", "1.1.0:small:one").exit_code == 0);
  CHECK(workspace.diff("1.1.0:small", workspace.path("b")).exit_code == 0);
  CHECK(workspace.diff("newest:small", "1.1.0:small").exit_code == 0);
  CHECK(workspace.diff(workspace.path("a") + kManifest, workspace.path("b")).exit_code == 0);
}

TEST_CASE("diff: the issue that a patch answers explains patch, blobs and file") {
  const DiffWorkspace workspace;
  workspace.prepare("a", "small");
  workspace.prepare("b", "small", {"--without", "cap"});
  const CliResult result = workspace.diff_trees();
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.out, !Contains("UNEXPLAINED"));
  CHECK_THAT(result.out, Contains("  ~ --without: nothing -> cap\n"));
  CHECK_THAT(result.out, Contains("  - block-limit in torch: V1, sha256 "));
  CHECK_THAT(result.out,
             Contains("      because issue block-limit is applied by fix cap (variant V1) in A, declined in B\n"));
  CHECK_THAT(result.out, Contains("  - pytorch/include/added.h: blob "));
  CHECK_THAT(result.out, Contains("  ~ pytorch/include/limits.h\n      A  blob "));
  CHECK_THAT(result.out, Contains("  ~ torchpatch: ") && Contains(" files differ, 2 files only in A\n"));
  CHECK_THAT(result.out, Catch::EndsWith("differences, all explained\n"));
  CHECK_THAT(
      workspace.diff_trees({"--json"}).out,
      Contains("\"issues\": [\n        \"block-limit\"\n      ],\n      \"patchsets\": [\n        \"block-limit V1\""));
  CHECK_THAT(workspace.diff_trees({"--files"}).out, Contains("  ~ torchpatch/build.env") || Contains("manifest.json"));
}

TEST_CASE("diff: what nobody's manifest has stands first, unexplained") {
  const DiffWorkspace workspace;
  workspace.prepare("a", "small");
  workspace.prepare("b", "small", {"--without", "cap"});
  workspace.write("b/pytorch/setup.py", "# edited\n");
  workspace.write("b/pytorch/build/lib/x.o", "object");
  REQUIRE(chmod(workspace.path("b/vision/setup.py").c_str(), 0755) == 0);
  REQUIRE(unlink(workspace.path("b/pytorch/empty").c_str()) == 0);
  REQUIRE(unlink(workspace.path("b/pytorch/tools/latest").c_str()) == 0);
  REQUIRE(symlink("../setup.py", workspace.path("b/pytorch/tools/latest").c_str()) == 0);
  const CliResult result = workspace.diff_trees();
  CHECK(result.exit_code == 1);
  const std::size_t unexplained = result.out.find("UNEXPLAINED: files\n");
  REQUIRE(unexplained != std::string::npos);
  CHECK(unexplained < result.out.find("what was asked for"));
  CHECK_THAT(result.out, Contains("  + pytorch/build: directory, not in the manifest\n"));
  CHECK_THAT(result.out, !Contains("x.o"));
  CHECK_THAT(result.out, Contains("  - pytorch/empty\n      A  blob e69de29bb2d1d6434b8b29ae775ad8c2e48c5391\n"
                                  "      B  missing, but listed in its manifest\n"));
  CHECK_THAT(result.out, Contains("  ~ pytorch/setup.py\n"));
  CHECK_THAT(result.out, Contains("  ~ pytorch/tools/latest (link)\n      A  link to 'run.sh'\n"
                                  "      B  link to '../setup.py', differs from its manifest\n"));
  CHECK_THAT(result.out, Contains("  ~ vision/setup.py (mode)\n"));
  CHECK_THAT(result.out, !Contains("base-tree"));  // it follows
  CHECK_THAT(result.out, Contains("5 unexplained\n"));
}

TEST_CASE("diff: the same edit in both trees is told, for neither is what was prepared") {
  const DiffWorkspace workspace;
  workspace.prepare("a", "small");
  workspace.prepare("b", "small");
  workspace.write("a/pytorch/setup.py", "# edited\n");
  workspace.write("b/pytorch/setup.py", "# edited\n");
  const CliResult same = workspace.diff_trees();
  CHECK(same.exit_code == 1);
  CHECK_THAT(same.out, Contains("UNEXPLAINED: files\n  ~ pytorch/setup.py\n      A  found sha256 "));
  CHECK_THAT(same.out, Contains(", 1 unexplained\n"));
  // Compared with a manifest, the edit of the one tree shows.
  const CliResult result = workspace.diff("1.1.0:small", workspace.path("b"));
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.out, Contains("UNEXPLAINED: files\n  ~ pytorch/setup.py\n"));
}

TEST_CASE("diff: boards explain variables, and issues are decided by their facts") {
  const DiffWorkspace workspace;
  const CliResult result = workspace.diff("1.1.0:small", "1.1.0:plain");
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.out, Contains("  ~ board: small -> plain\n"));
  CHECK_THAT(result.out, Contains("  ~ block-limit: applied, fix cap, variant V1 -> not_affected\n      because A: "));
  CHECK_THAT(result.out, Contains("note: a plan has no submodules, trees or files: they were not compared\n"));
  CHECK_THAT(result.out, !Contains("UNEXPLAINED"));
}

TEST_CASE("diff: an override explains the commits that it brings") {
  const DiffWorkspace workspace(true);
  workspace.prepare("a", "small");
  workspace.prepare("b", "small", {"--without", "take-new-onnx"});
  const CliResult result = workspace.diff_trees();
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.out, !Contains("UNEXPLAINED"));
  CHECK_THAT(result.out, Contains("pinned commits\n  ~ torch:third_party/onnx\n      A  "));
  CHECK_THAT(result.out, Contains(" of 2017-07-14\n      because issue new-onnx is applied by fix take-new-onnx "
                                  "(variant N1) in A, declined in B\n"
                                  "  ~ torch:third_party/onnx/deep/six\n"));
  CHECK_THAT(result.out, Contains("submodules at another commit\n  - torch:third_party/onnx: "));
  CHECK_THAT(result.out, Contains("  ~ pytorch/third_party/onnx: 1 file differs\n"));
  CHECK_THAT(workspace.diff_trees({"--files"}).out, Contains("  ~ pytorch/third_party/onnx/onnx.h\n"));
}

TEST_CASE("diff: a component that is left out explains what goes with it") {
  const DiffWorkspace workspace;
  workspace.prepare("a", "small");
  workspace.prepare("b", "small", {"--component", "torch"});
  const CliResult result = workspace.diff_trees();
  CHECK_THAT(result.out, Contains("  ~ components: torch, vision -> torch\n"));
  CHECK_THAT(result.out, Contains("  - vision: ") && Contains("because only A has vision\n"));
  CHECK_THAT(result.out, Contains("  - BUILD_VERSION of vision: '0.3.0', by release 1.1.0\n"));
  CHECK_THAT(result.out, !Contains("UNEXPLAINED"));
}

TEST_CASE("diff: Markdown and JSON say the same") {
  const DiffWorkspace workspace;
  const CliResult markdown = workspace.diff("1.1.0:small", "1.1.0:plain", {"--format", "markdown"});
  CHECK_THAT(markdown.out,
             Catch::StartsWith("# Differences\n\n- A: plan `'1.1.0:small'`: 1.1.0 for small (one)\\\n  plan `"));
  CHECK_THAT(markdown.out, Contains("\n## known issues\n\n- `~` `block-limit`: applied, fix cap, variant V1 -> "));
  const CliResult json = workspace.diff("1.1.0:small", "1.1.0:plain", {"--json"});
  CHECK_THAT(json.out, Contains("\"schema\": 1,\n  \"equal\": false,\n  \"a\": {\n    \"name\": \"1.1.0:small\","));
  CHECK_THAT(json.out, Contains("\"unexplained\": 0"));
  const CliResult both = workspace.diff("1.1.0:small", "1.1.0:plain", {"--json", "--format", "text"});
  CHECK(both.exit_code == 2);
  CHECK(both.err == "torchpatch: error: --json and --format cannot be used together\nhint: remove one of them\n");
}

TEST_CASE("diff: what is no side is an error that says what is") {
  const DiffWorkspace workspace;
  const auto error = [&](const std::string& side, int code) {
    const CliResult result = workspace.diff(side, "1.1.0:small");
    CHECK(result.exit_code == code);
    CHECK(result.out.empty());
    return result.err;
  };
  CHECK(error("nothing", 7) ==
        "torchpatch: error: 'nothing' is neither a prepared tree, nor a manifest, nor RELEASE:BOARD\n"
        "hint: pass a prepared tree, its torchpatch/manifest.json, or a pair such as 1.1.0:tx2\n");
  for (const char* side : {"1.1.0", "1.1.0:small:one:two"}) CHECK_THAT(error(side, 2), Contains("nor RELEASE:BOARD"));
  CHECK_THAT(error("1.1.0:smal", 2), Contains("did you mean 'small'?"));
  CHECK_THAT(error("1.2.0:small", 2), Contains("'1.2.0'"));
  workspace.write("empty/x", "");
  CHECK_THAT(error(workspace.path("empty"), 7),
             Contains("'$TMP/empty' is not a prepared tree: it has no torchpatch/manifest.json"));
  workspace.write("new.json", "{\"schema\": 7}\n");
  CHECK_THAT(error(workspace.path("new.json"), 3), Contains("$TMP/new.json:1: schema"));
}

TEST_CASE("diff: a path that reads as a pair has to be told apart") {
  const DiffWorkspace workspace;
  const TempDir directory;
  char before[4096];
  REQUIRE(getcwd(before, sizeof before) != nullptr);
  REQUIRE(chdir(directory.path().c_str()) == 0);
  write_file_atomically("1.1.0:small", "{}\n");
  const CliResult result = workspace.diff("1.1.0:small", "1.1.0:plain");
  const CliResult as_path = workspace.diff("./1.1.0:small", "1.1.0:plain");
  REQUIRE(chdir(before) == 0);
  CHECK(result.exit_code == 2);
  CHECK(result.err ==
        "torchpatch: error: '1.1.0:small' is both a path and a RELEASE:BOARD\n"
        "hint: write './1.1.0:small' for the path, or run this in another directory\n");
  CHECK(as_path.exit_code == 3);
}
