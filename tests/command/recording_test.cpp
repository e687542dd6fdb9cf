// SPDX-License-Identifier: BSD-3-Clause
// patch certify and results record.
#include <filesystem>

#include "command/toy_workspace.h"
#include "support/catch.h"

using namespace torchpatch;
using test::CliResult;
using test::ToyWorkspace;

TEST_CASE("patch certify, results record: write their files and name them") {
  const ToyWorkspace workspace;
  const std::string catalog = workspace.upstream.catalog_directory();
  const std::vector<std::string> source = {"--mirror", workspace.upstream.mirror(), "--into", catalog, "--quiet"};
  const auto run = [&](std::vector<std::string> args) {
    args.insert(args.end(), source.begin(), source.end());
    return workspace.run(args);
  };
  const CliResult certified = run({"patch", "certify", "--version", "1.1.0"});
  CHECK(certified.err.empty());
  CHECK(certified.exit_code == 0);
  CHECK(certified.out == "$TOY/catalog/patchsets/block-limit/certificates/1.1.0.json\n");
  const CliResult recorded = run({"results", "record"});
  CHECK(recorded.exit_code == 0);
  CHECK(recorded.out == "$TOY/catalog/results/1.1.0.json\n");
  CHECK(file_exists(catalog + "/results/1.1.0.json"));
}

TEST_CASE("patch certify: says where to write to") {
  const CliResult result = ToyWorkspace().run({"patch", "certify"});
  CHECK(result.exit_code == 2);
  CHECK(result.err == "torchpatch: error: missing: --into DIR\nhint: see 'torchpatch patch certify --help'\n");
}

TEST_CASE("patch certify: reads only what patches touch, so a submodule that is nowhere does not matter") {
  const ToyWorkspace workspace;
  const std::string catalog = workspace.upstream.catalog_directory();
  std::filesystem::remove_all(workspace.upstream.mirror() + "/nested");
  const std::vector<std::string> source = {"--mirror", workspace.upstream.mirror(), "--into", catalog, "--quiet"};
  const auto run = [&](std::vector<std::string> args) {
    args.insert(args.end(), source.begin(), source.end());
    return workspace.run(args);
  };
  const CliResult certified = run({"patch", "certify"});
  CHECK(certified.err.empty());
  CHECK(certified.exit_code == 0);
  CHECK(run({"results", "record"}).exit_code == 0);
}

TEST_CASE("patch certify: says which commits are nowhere") {
  const ToyWorkspace workspace;
  const std::string elsewhere = workspace.upstream.mirror() + "/vision";
  const CliResult result = workspace.run({"patch", "certify", "--mirror", elsewhere, "--into", "c", "--quiet"});
  CHECK(result.exit_code == 4);
  CHECK(result.err ==
        "torchpatch: error: reading what the patches touch from the mirror '$TOY/mirror/vision': 1 commit is not "
        "there\n  torch: commit " +
            workspace.upstream.torch_commit() + " of 'https://example.org/pytorch/pytorch.git': the commit " +
            workspace.upstream.torch_commit() +
            " is in no folder; not in any mirror\n"
            "hint: name a folder that holds them with --mirror, or bring them into one with git\n");
}

TEST_CASE("results record: a file that is nowhere counts by its id, a component with a missing submodule has no tree") {
  const ToyWorkspace workspace;
  const std::string catalog = workspace.upstream.catalog_directory();
  const auto record = [&] {
    const CliResult result = workspace.run(
        {"results", "record", "--version", "1.1.0", "--mirror", workspace.upstream.mirror(), "--into", catalog});
    INFO(result.err);
    CHECK(result.exit_code == 0);
    return result;
  };
  record();
  const std::string whole = read_file(catalog + "/results/1.1.0.json");
  std::filesystem::remove_all(workspace.upstream.mirror() + "/nested");
  const CliResult partial = record();
  CHECK_THAT(partial.err, Catch::Contains("is nowhere: no tree is recorded for its component"));
  CHECK(read_file(catalog + "/results/1.1.0.json").size() < whole.size());
}
