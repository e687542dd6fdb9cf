// SPDX-License-Identifier: BSD-3-Clause
// patch certify and results record.
#include <catch2/catch.hpp>

#include "command/toy_workspace.h"

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
