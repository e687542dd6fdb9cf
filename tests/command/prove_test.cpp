// SPDX-License-Identifier: BSD-3-Clause
#include "command/toy_workspace.h"
#include "support/catch.h"
#include "support/toy_proof.h"

using namespace torchpatch;
using test::CliResult;
using test::ToyProof;
using test::ToyWorkspace;

namespace {

CliResult prove(const ToyWorkspace& workspace, std::vector<std::string> args = {}) {
  args.insert(args.begin(), {"prove", "--quiet", "--mirror", workspace.upstream.mirror()});
  return workspace.run(args);
}

}  // namespace

TEST_CASE("prove: prints the outcomes") {
  const ToyWorkspace workspace;
  test::write_proof(workspace.upstream);
  const CliResult result = prove(workspace);
  CHECK(result.err.empty());
  CHECK(result.out ==
        "proven  block-limit  1.1.0  V1  limit  exit 3 without, 0 with the patch\n"
        "\n"
        "1 proven\n");
  CHECK(result.exit_code == 0);
}

TEST_CASE("prove: a proof that does not hold is a finding, with what it printed") {
  const ToyWorkspace workspace;
  test::write_proof(workspace.upstream);
  test::mutate_patch(workspace.upstream);
  const CliResult result = prove(workspace);
  CHECK(result.out ==
        "not_green  block-limit  1.1.0  V1  limit  exit 3 without, 3 with the patch\n"
        "\n"
        "block-limit at 1.1.0, proof limit, with the patch:\n"
        "  the limit is not 512\n"
        "\n"
        "0 proven, 1 not_green\n");
  CHECK(result.exit_code == 1);
}

TEST_CASE("prove: a tool that is not there is a finding only where tools are required") {
  const ToyWorkspace workspace;
  test::write_proof(workspace.upstream, {.tools = R"(["no-such-tool", "sh"])"});
  const CliResult result = prove(workspace);
  CHECK(result.out ==
        "no_tool  block-limit  1.1.0  V1  limit  not found: no-such-tool\n"
        "\n"
        "0 proven, 1 no_tool\n");
  CHECK(result.exit_code == 0);
  CHECK(prove(workspace, {"--require-tools"}).exit_code == 1);
}

TEST_CASE("prove: prints JSON") {
  const ToyWorkspace workspace;
  test::write_proof(workspace.upstream);
  const CliResult result = prove(workspace, {"block-limit", "--version", "1.1.0", "--json"});
  CHECK_THAT(result.out, Catch::StartsWith("{\n  \"schema\": 1,\n  \"proofs\": [\n    {\n"
                                           "      \"patch\": \"block-limit\",\n      \"proof\": \"limit\",\n"
                                           "      \"release\": \"1.1.0\",\n      \"variant\": \"V1\",\n"));
  CHECK_THAT(result.out, Catch::Contains("      \"before_exit\": 3,\n      \"after_exit\": 0,\n"
                                         "      \"verdict\": \"proven\",\n"));
}

TEST_CASE("prove --record: what was recorded shows") {
  ToyWorkspace workspace;
  workspace.set_variable("SOURCE_DATE_EPOCH", "1795219200");  // 2026-11-21
  test::write_proof(workspace.upstream);
  CHECK(workspace.run({"show", "patchset", "block-limit"}).out.find("1.1.0  limit  not recorded\n") !=
        std::string::npos);
  CHECK(prove(workspace, {"--record", workspace.upstream.catalog_directory()}).exit_code == 0);
  CHECK_THAT(workspace.run({"show", "patchset", "block-limit"}).out,
             Catch::Contains("1.1.0  limit  proven  since 2026-11-21\n"));
  CHECK_THAT(workspace.run({"list", "patchsets"}).out, Catch::Contains("proven at 1 of 1 release"));
  test::mutate_patch(workspace.upstream);
  CHECK_THAT(workspace.run({"show", "patchset", "block-limit"}).out, Catch::Contains("1.1.0  limit  outdated  since"));
}
