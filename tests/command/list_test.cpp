// SPDX-License-Identifier: BSD-3-Clause
#include "command/toy_workspace.h"
#include "support/catch.h"
#include "support/file.h"

using namespace torchpatch;
using test::CliResult;
using test::ToyWorkspace;

TEST_CASE("list: each kind, in text and JSON") {
  const ToyWorkspace workspace;
  CHECK_THAT(workspace.run({"list", "releases"}).out, Catch::StartsWith("1.1.0"));
  CHECK_THAT(workspace.run({"list", "boards"}).out, Catch::StartsWith("plain") && Catch::Contains("\nsmall"));
  CHECK_THAT(workspace.run({"list", "issues"}).out, Catch::StartsWith("block-limit"));
  CHECK_THAT(workspace.run({"list", "patchsets"}).out, Catch::StartsWith("block-limit"));
  CHECK_THAT(workspace.run({"list", "images"}).out,
             Catch::StartsWith("plain:one  ") && Catch::Contains("\nsmall:one  "));
  CHECK_THAT(workspace.run({"list", "images", "--board", "small"}).out, Catch::StartsWith("small:one  "));
  CHECK_THAT(workspace.run({"list", "fixes"}).out,
             Catch::StartsWith("cap       patch        block-limit  Cap\nbe-quiet  environment  quiet "));
  CHECK_THAT(workspace.run({"list", "settings"}).out, Catch::Contains("\ngcc                  version        fact\n"));
  CHECK(workspace.run({"list", "pairs"}).out == "1.1.0:plain  one\n1.1.0:small  one\n");
  CHECK(workspace.run({"list", "pairs", "--board", "small"}).out == "1.1.0:small  one\n");
  const CliResult json = workspace.run({"list", "boards", "--json"});
  CHECK(json.exit_code == 0);
  CHECK_THAT(json.out, Catch::Contains("\"schema\": 1") && Catch::Contains("\"small\""));
}

TEST_CASE("list, show, explain, prepare, verify: a release may be a pre-release, which newest never is") {
  const ToyWorkspace workspace;
  const std::string releases = workspace.upstream.catalog_directory() + "/releases/";
  write_file_atomically(releases + "1.2.0-rc1.json", read_file(releases + "1.1.0.json"));
  test::edit(releases + "1.2.0-rc1.json", R"("version": "1.1.0")", R"("version": "1.2.0-rc1")");
  CHECK_THAT(workspace.run({"list", "releases"}).out, Catch::Contains("\n1.2.0-rc1  2019-04-30  torch vision "));
  CHECK(workspace.run({"list", "releases", "--json"}).exit_code == 0);
  CHECK_THAT(workspace.run({"show", "release", "v1.2.0-rc1"}).out, Catch::Contains("1.2.0-rc1"));
  // Its issue is one of ">=1.1.0 <1.2.0".
  const auto explain = [&](const std::string& version) {
    return workspace.run({"explain", "block-limit", "--version", version, "--board", "small"}).out;
  };
  CHECK_THAT(explain("1.2.0-rc1"), Catch::Contains("does not apply  release 1.2.0-rc1 is not in >=1.1.0 <1.2.0"));
  CHECK_THAT(workspace.run({"explain", "--version", "newest", "--board", "plain"}).err,
             Catch::Contains("release 1.1.0 is the newest certified one"));
  CHECK_THAT(workspace.run({"explain", "--version", "1.2.0", "--board", "plain"}).err,
             Catch::Contains("of the 1.2 family there is 1.2.0-rc1"));
  const CliResult prepared = workspace.run({"prepare", "--version", "1.2.0-rc1", "--board", "plain", "--mirror",
                                            workspace.upstream.mirror(), "--output", workspace.path("out"), "--json"});
  INFO(prepared.err);
  CHECK(prepared.exit_code == 0);
  CHECK_THAT(workspace.run({"verify", workspace.path("out")}).out, Catch::Contains("1.2.0-rc1"));
  CHECK(workspace.run({"explain", "--version", "1.1.0", "--board", "plain", "--set", "gcc=5-rc1"}).exit_code == 2);
}

TEST_CASE("list: an unknown kind") {
  const CliResult result = ToyWorkspace().run({"list", "board"});
  CHECK(result.exit_code == 2);
  CHECK(result.err ==
        "torchpatch: error: unknown KIND 'board'; choose from releases, boards, images, issues, fixes, patchsets, "
        "settings, pairs\n"
        "hint: did you mean 'boards'?\n");
}

TEST_CASE("list: --catalog adds a layer") {
  const ToyWorkspace workspace;
  workspace.write("mine/boards/large.json", R"({"schema": 1, "id": "large", "title": "Large", "arch": "aarch64",
    "cpu_flags": "-O1", "memory_mib": 4096, "images": [{"id": "one", "title": "One", "os": "debian-12", "python": ["3.5"]}],
    "default_images": [{"releases": "*", "image": "one"}],
    "sources": [{"keys": ["arch", "cpu_flags", "memory_mib", "images"], "source": "made up", "verified": false}]})");
  const CliResult result = workspace.run({"list", "boards", "--catalog", workspace.path("mine")});
  CHECK(result.err.empty());
  CHECK_THAT(result.out, Catch::StartsWith("large"));
}

TEST_CASE("list: a layer that is not there") {
  const ToyWorkspace workspace;
  const CliResult result = workspace.run({"list", "boards", "--catalog", workspace.path("no")});
  CHECK(result.exit_code == 7);
  CHECK(result.err ==
        "torchpatch: error: --catalog '$TMP/no' is neither a directory nor a bundled layer\n"
        "hint: pass a directory with your releases/, boards/, known_issues/ or patchsets/ ('torchpatch audit approve "
        "--key KEY --into DIR' makes one "
        "for approvals/), or the layer sample\n");
}

TEST_CASE("list: no directory passes for a layer that is shipped, or for another one") {
  const ToyWorkspace workspace;
  for (const char* name : {"a/shipped", "a/sample", "a/mine", "b/mine"})
    make_directories(workspace.path(name) + "/boards");
  for (const char* name : {"a/shipped", "a/sample"}) {
    const CliResult result = workspace.run({"list", "boards", "--catalog", workspace.path(name)});
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, Catch::Contains("there is another layer called '" + base_name(name) + "'"));
  }
  const std::string mine = workspace.path("a/mine"), other = workspace.path("b/mine");
  CHECK(workspace.run({"list", "boards", "--catalog", mine, "--catalog", mine}).exit_code == 0);
  CHECK(workspace.run({"list", "boards", "--catalog", mine, "--catalog", other}).exit_code == 2);
}

TEST_CASE("list: --catalog names a layer that is shipped") {
  const ToyWorkspace workspace;
  const std::string layer = workspace.upstream.catalog_directory() + "/layers/sample/boards/other.json";
  make_directories(parent_path(layer));
  write_file_atomically(layer, R"({"schema": 1, "id": "other", "title": "Other", "arch": "aarch64",
    "cpu_flags": "-O1", "memory_mib": 4096, "images": [{"id": "one", "title": "One", "os": "debian-12", "python": ["3.5"]}],
    "default_images": [{"releases": "*", "image": "one"}],
    "sources": [{"keys": ["arch", "cpu_flags", "memory_mib", "images"], "source": "made up", "verified": false}]})");
  const CliResult result = workspace.run({"list", "boards", "--catalog", "sample"});
  CHECK(result.err.empty());
  CHECK_THAT(result.out, Catch::StartsWith("other"));
  CHECK(workspace.run({"list", "boards", "--source", "sample"}).out == result.out);
}

TEST_CASE("list: --board lists the releases that fit, with their images, and whether they are certified") {
  const ToyWorkspace workspace;
  const auto list = [&](const std::string& board, const std::string& form = "--color=never") {
    return workspace.run({"list", "releases", "--board", board, form}).out;
  };
  CHECK(list("plain") == "1.1.0  2019-04-30  torch vision  one  Python 3.5\n");
  CHECK(list("small") == "1.1.0  2019-04-30  torch vision  one  Python 3.5    NOT CERTIFIED\n");
  CHECK_THAT(list("small", "--json"), Catch::Contains("\"images\": [\n        \"one\"\n      ],\n      "
                                                      "\"certified\": false\n") &&
                                          Catch::Contains("\"board\": \"small\""));
}

TEST_CASE("list: --board goes with what a board has") {
  const CliResult result = ToyWorkspace().run({"list", "issues", "--board", "small"});
  CHECK(result.exit_code == 2);
  CHECK(result.err ==
        "torchpatch: error: --board works with releases, images and pairs, not with issues\n"
        "hint: see 'torchpatch list --help'\n");
}
