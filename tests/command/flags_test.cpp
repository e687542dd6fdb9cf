// SPDX-License-Identifier: BSD-3-Clause
#include "support/catch.h"
#include "support/run_cli.h"
#include "support/source_directory.h"

using namespace torchpatch;
using test::CliResult;
using test::TestWorkspace;

namespace {

struct ShippedWorkspace : TestWorkspace {
  ShippedWorkspace() { set_variable("TORCHPATCH_DATA", test::source_directory()); }
};

}  // namespace

TEST_CASE("flags: says where the named variables are read, and exits with 1 for one that is not") {
  const ShippedWorkspace workspace;
  const CliResult read = workspace.run({"flags", "--version", "1.5.1", "USE_NCCL"});
  CHECK(read.exit_code == 0);
  CHECK(read.out ==
        "setting USE_NCCL\n"
        "  kind              variable\n"
        "  release 1.5.1     CMakeLists.txt:158: the build passes it to CMake\n"
        "  read by releases  1.1.0 to 2.14.1\n"
        "  set by fixes      nccl-default, use-nccl-off\n");
  const CliResult others = workspace.run({"flags", "--version", "1.5.1", "NO_CUDA", "USE_NCLL", "MY_OWN"});
  CHECK(others.exit_code == 1);
  CHECK_THAT(others.out,
             Catch::Contains("release 1.5.1 does not read it; 1.0.0 to 1.4.1 do; this release reads 'USE_CUDA'") &&
                 Catch::Contains("no known release reads it; did you mean 'USE_NCCL'?") &&
                 Catch::Contains("unknown variable"));
  CHECK_THAT(workspace.run({"flags", "--version", "1.5.1"}).out,
             Catch::Contains("\nUSE_NCCL  ") && Catch::Contains(" CMakeLists.txt:158 "));
  const CliResult all = workspace.run({"flags", "--version", "1.1.0", "--json"});
  CHECK(all.exit_code == 0);
  CHECK_THAT(all.out, Catch::Contains("\"schema\": 1") && Catch::Contains("\"mechanism\": \"environment\"") &&
                          Catch::Contains("\"until\": \"1.4.1\""));
}

TEST_CASE("flags NAME, show setting: print the same, but for what one release does with it") {
  const ShippedWorkspace workspace;
  for (const std::string name : {"USE_NCCL", "NO_CUDA", "gcc"}) {
    std::string flags = workspace.run({"flags", "--version", "1.5.1", name}).out;
    const std::size_t at = flags.find("  release 1.5.1 ");
    REQUIRE(at != std::string::npos);
    const std::string setting = workspace.run({"show", "setting", name}).out;
    CHECK(flags.erase(at, flags.find('\n', at) + 1 - at) == setting);
  }
}

TEST_CASE("flags: --check reports a script line by line") {
  ShippedWorkspace workspace;
  workspace.write("build.sh", "export USE_CUDA=0\nUSE_NCLL=0 NO_NNPACK=1 python3 setup.py install\n");
  const std::vector<std::string> line = {"flags", "--version", "1.5.1", "--check", workspace.path("build.sh")};
  const CliResult found = workspace.run(line);
  CHECK(found.exit_code == 1);
  CHECK_THAT(
      found.out,
      Catch::Contains("build.sh:2: USE_NCLL=0: misspelt: no known release reads it; did you mean 'USE_NCCL'?\n") &&
          Catch::Contains("build.sh:2: NO_NNPACK=1: renamed: release 1.5.1 does not read it; 1.0.0 to 1.4.1 do; "
                          "set 'USE_NNPACK=0' instead\n") &&
          Catch::EndsWith("2 findings in 3 assignments for release 1.5.1\n"));
  workspace.write("build.sh", "export USE_CUDA=0\n");
  const CliResult clean = workspace.run(line);
  CHECK(clean.exit_code == 0);
  CHECK(clean.out == "no problems in 1 assignment for release 1.5.1\n");
  std::vector<std::string> json = line;
  json.insert(json.end(), {"--board", "ultra96", "--json"});
  CHECK_THAT(workspace.run(json).out, Catch::Contains("\"board\": \"ultra96\"") && Catch::Contains("\"ok\": true"));
}

TEST_CASE("flags: --check says what no build sees, and what it does not understand") {
  ShippedWorkspace workspace;
  workspace.write("Dockerfile",
                  "FROM x\nRUN export USE_NCCL=0\nRUN . ./env && USE_QNNPACK=0 && python3 setup.py install\n");
  const std::vector<std::string> line = {"flags", "--version", "1.5.1", "--check", workspace.path("Dockerfile")};
  const CliResult found = workspace.run(line);
  CHECK(found.exit_code == 1);
  CHECK_THAT(found.out,
             Catch::Contains("Dockerfile:2: USE_NCCL=0: lost: the shell of this RUN ends there: the build in line "
                             "3 does not see it; set it with ENV\n") &&
                 Catch::Contains("Dockerfile:3: USE_QNNPACK=0: not exported: the shell does not export it, so the "
                                 "command in line 3 does not see it; put 'export' in front of it\n") &&
                 Catch::Contains("Dockerfile:3: not read: a sourced file\n"));
  std::vector<std::string> json = line;
  json.emplace_back("--json");
  CHECK_THAT(workspace.run(json).out,
             Catch::Contains("\"problem\": \"not_exported\"") &&
                 Catch::Contains("\"skipped\": [\n    {\n      \"line\": 3,\n      \"what\": \"a sourced file\""));
}

TEST_CASE("flags: --version newest needs a board, and takes the release that fits it") {
  ShippedWorkspace workspace;
  CHECK(workspace.run({"flags", "--version", "newest", "USE_NCCL"}).err ==
        "torchpatch: error: --version newest needs --board\n"
        "hint: it is the newest certified release that fits the board\n");
  workspace.write("script", "export USE_NCCL=0\n");
  const CliResult checked = workspace.run({"flags", "--version", "newest", "--board", "tx2", "--image", "jetpack-3.3",
                                           "--check", workspace.path("script"), "--json"});
  CHECK(checked.err == "release 1.5.1 is the newest certified one that fits board 'tx2' with image 'jetpack-3.3'\n");
  CHECK_THAT(checked.out, Catch::Contains("\"release\": \"1.5.1\""));
}

TEST_CASE("flags: refuses options that do not fit together") {
  const ShippedWorkspace workspace;
  CHECK(workspace.run({"flags", "--version", "1.5.1", "A", "--check", "x"}).err ==
        "torchpatch: error: NAME and --check cannot be used together\nhint: remove one of them\n");
  CHECK(workspace.run({"flags", "--version", "1.5.1", "--board", "tx2"}).err ==
        "torchpatch: error: --board and --image need --check\nhint: see 'torchpatch flags --help'\n");
  CHECK(workspace.run({"flags", "--version", "1.5.1", "--check", "x", "--image", "y"}).err ==
        "torchpatch: error: --image needs --board\nhint: see 'torchpatch flags --help'\n");
  CHECK(workspace.run({"flags", "--version", "1.5.1", "--check", workspace.path("nothing")}).exit_code == 7);
}
