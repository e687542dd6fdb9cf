// SPDX-License-Identifier: BSD-3-Clause
#include "command/toy_workspace.h"
#include "support/catch.h"

using namespace torchpatch;
using test::CliResult;

namespace {

struct Prepared : test::ToyWorkspace {
  Prepared() {
    upstream.certify();
    const CliResult result = run({"prepare", "--version", "1.1.0", "--board", "small", "--mirror", upstream.mirror(),
                                  "--output", path("out"), "--quiet"});
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
  }
  CliResult verify(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> args = {"verify", path("out"), "--quiet"};
    args.insert(args.end(), more.begin(), more.end());
    return run(args);
  }
};

}  // namespace

TEST_CASE("verify: nothing to find in a fresh tree") {
  const Prepared workspace;
  const CliResult result = workspace.verify();
  CHECK(result.exit_code == 0);
  CHECK(result.err.empty());
  CHECK_THAT(workspace.verify({"--json"}).out, Catch::Contains("\"differences\": []"));
}

TEST_CASE("verify: a difference is a finding, by path and reason") {
  const Prepared workspace;
  workspace.write("out/pytorch/setup.py", "# edited\n");
  const CliResult result = workspace.verify();
  CHECK(result.exit_code == 1);
  CHECK(result.err.empty());
  CHECK_THAT(result.out, Catch::Contains("pytorch/setup.py") && Catch::Contains("changed"));
  CHECK_THAT(workspace.verify({"--json"}).out, Catch::Contains("\"reason\": \"changed\""));
}

TEST_CASE("verify: --after-build tells what was added from what was changed") {
  const Prepared workspace;
  workspace.write("out/pytorch/build/lib.o", "object");
  CHECK(workspace.verify().exit_code == 1);
  CHECK(workspace.verify({"--after-build"}).exit_code == 0);
}

TEST_CASE("verify: --no-options refuses a part of a release, too") {
  const Prepared workspace;
  CHECK(workspace.verify({"--no-options"}).exit_code == 0);
  REQUIRE(workspace
              .run({"prepare", "--version", "1.1.0", "--board", "small", "--mirror", workspace.upstream.mirror(),
                    "--output", workspace.path("torch"), "--quiet", "--component", "torch"})
              .exit_code == 0);
  const CliResult result = workspace.run({"verify", workspace.path("torch"), "--no-options", "--quiet"});
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.out, Catch::Contains("option: whoever prepared it chose '--component torch'"));
}

TEST_CASE("verify: --mirror names what was forged") {
  const Prepared workspace;
  workspace.write("out/pytorch/setup.py", "# edited\n");
  const CliResult result = workspace.verify({"--mirror", workspace.upstream.mirror()});
  CHECK(result.exit_code == 1);
  CHECK(result.err.empty());
  CHECK(workspace.verify({"--mirror", workspace.path("out")}).exit_code == 4);
}

TEST_CASE("verify: --expect another tree") {
  const Prepared workspace;
  const CliResult result = workspace.verify({"--expect", std::string(40, '0')});
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.out, Catch::Contains("expected-id"));
}

TEST_CASE("verify: a directory that nobody prepared") {
  const Prepared workspace;
  workspace.write("empty/x", "");
  const CliResult result = workspace.run({"verify", workspace.path("empty")});
  CHECK(result.exit_code == 7);
  CHECK(result.out.empty());
  CHECK_THAT(result.err, Catch::StartsWith("torchpatch: error: ") && Catch::Contains("$TMP/empty"));
}
