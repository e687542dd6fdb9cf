// SPDX-License-Identifier: BSD-3-Clause
#include "command/toy_workspace.h"
#include "support/catch.h"
#include "support/source_directory.h"

using namespace torchpatch;
using test::CliResult;
using test::TestWorkspace;
using test::ToyWorkspace;

TEST_CASE("explain: says why an issue applies and why it does not") {
  const ToyWorkspace workspace;
  const CliResult small = workspace.run({"explain", "--version", "1.1.0", "--board", "small"});
  CHECK(small.exit_code == 0);
  CHECK_THAT(small.out, Catch::Contains("block-limit") && Catch::Contains("quiet"));
  const CliResult json = workspace.run({"explain", "--version", "1.1.0", "--board", "plain", "--json"});
  CHECK_THAT(json.out, Catch::Contains("\"schema\": 1") && Catch::Contains("\"applies\": false"));
}

TEST_CASE("explain: --set changes a fact, and is refused where it has no form") {
  const ToyWorkspace workspace;
  const std::vector<std::string> line = {"explain", "--version", "1.1.0", "--board", "small", "--json", "--set"};
  const auto with = [&](const std::string& setting) {
    std::vector<std::string> args = line;
    args.push_back(setting);
    return workspace.run(args);
  };
  CHECK_THAT(with("registers_per_block=65536").out, Catch::Contains("not_affected"));
  const CliResult result = with("registers_per_block");
  CHECK(result.exit_code == 2);
  CHECK(result.err ==
        "torchpatch: error: --set 'registers_per_block' is not of the form KEY=VALUE\n"
        "hint: a lower-case key sets a fact (gcc=7.5), an upper-case one a variable of the build (USE_OPENCV=1)\n");
}

TEST_CASE("explain: refuses what this release is known not to read, and misspelt names, unless --force-set is given") {
  TestWorkspace workspace;
  workspace.set_variable("TORCHPATCH_DATA", test::source_directory());
  const auto with = [&](const std::string& option, const std::string& setting) {
    return workspace.run({"explain", "--version", "1.5.1", "--board", "zcu104", option, setting});
  };
  const CliResult misspelt = with("--set", "USE_NCLL=0");
  CHECK(misspelt.exit_code == 2);
  CHECK(misspelt.err ==
        "torchpatch: error: --set USE_NCLL: no release is known to read it\n"
        "hint: did you mean 'USE_NCCL'? --force-set USE_NCLL=0 sets it all the same\n");
  const CliResult unread = with("--set", "NO_CUDA=1");
  CHECK(unread.exit_code == 2);
  CHECK(unread.err ==
        "torchpatch: error: --set NO_CUDA: release 1.5.1 does not read it; 1.0.0 to 1.4.1 do\n"
        "hint: this release reads 'USE_CUDA'; --force-set NO_CUDA=1 sets it all the same\n");
  const CliResult forced = with("--force-set", "NO_CUDA=1");
  CHECK(forced.exit_code == 0);
  CHECK_THAT(forced.out, Catch::Contains("release 1.5.1 does not read it; 1.0.0 to 1.4.1 do"));
  CHECK(with("--set", "_PYTHON_HOST_PLATFORM=linux-armv7l").exit_code == 0);
  CHECK(with("--set", "USE_GLOG=1").exit_code == 0);
  const CliResult fact = with("--force-set", "gcc=9");
  CHECK(fact.exit_code == 2);
  CHECK(fact.err ==
        "torchpatch: error: --force-set 'gcc' is no name of a variable\n"
        "hint: --set is for facts such as gcc or cross\n");
}

TEST_CASE("explain: of a prepared tree, says what whoever prepared it chose") {
  const ToyWorkspace toy;
  toy.upstream.certify();
  REQUIRE(toy.run({"prepare", "--version", "1.1.0", "--board", "small", "--mirror", toy.upstream.mirror(), "--output",
                   toy.path("out"), "--quiet", "--set", "CC=/tmp/evilcc"})
              .exit_code == 0);
  const auto explain = [&](const std::string& more) { return toy.run({"explain", toy.path("out"), "--quiet", more}); };
  const CliResult text = explain("--color=never");
  CHECK(text.exit_code == 0);
  CHECK_THAT(text.out, Catch::Contains("chosen by who prepared it, and proven by nothing: '--set CC=/tmp/evilcc'\n") &&
                           Catch::Contains("block-limit"));
  CHECK_THAT(explain("--json").out, Catch::Contains("\"options\": [\n    \"--set CC=/tmp/evilcc\"\n  ]"));
  CHECK(explain("--force").exit_code == 2);
  toy.write("out/pytorch/setup.py", "# edited\n");
  const CliResult edited = explain("--json");
  CHECK(edited.exit_code == 1);
  CHECK_THAT(edited.out, Catch::Contains("\"reason\": \"changed\""));
}

TEST_CASE("explain: names what is missing") {
  const CliResult result = ToyWorkspace().run({"explain", "--json"});
  CHECK(result.exit_code == 2);
  CHECK(result.err ==
        "torchpatch: error: missing: --version VERSION, --board BOARD (or a prepared tree)\nhint: see 'torchpatch "
        "explain --help'\n");
}

TEST_CASE("explain: unknown board, version and component") {
  const ToyWorkspace workspace;
  const auto error = [&](const std::vector<std::string>& args) {
    const CliResult result = workspace.run(args);
    CHECK(result.exit_code == 2);
    return result.err;
  };
  CHECK_THAT(error({"explain", "--version", "1.1.0", "--board", "smal"}), Catch::Contains("did you mean 'small'?"));
  CHECK_THAT(error({"explain", "--version", "1.2.0", "--board", "small"}), Catch::Contains("'1.2.0'"));
  CHECK(error({"explain", "--version", "1.1.0", "--board", "small", "--component", "vison"}) ==
        "torchpatch: error: unknown component 'vison': there are torch, vision and audio\n"
        "hint: did you mean 'vision'?\n");
}

TEST_CASE("explain: a name that can mean one thing is taken, one that could mean several is refused with all of them") {
  TestWorkspace workspace;
  workspace.set_variable("TORCHPATCH_DATA", test::source_directory());
  const auto with = [&](const std::string& version, const std::string& board) {
    return workspace.run({"explain", "--version", version, "--board", board, "--component", "torchvision"});
  };
  CHECK(with("v1.1.0", "TX2").out == with("1.1.0", "tx2").out);
  CHECK(with("1.1.0", "tx2").exit_code == 0);
  const CliResult orin = with("2.1.0", "orin");
  CHECK(orin.exit_code == 2);
  CHECK(orin.err ==
        "torchpatch: error: 'orin' is not one board: there are orin-agx, orin-nano, orin-nano-4gb, orin-nx\n");
  CHECK(with("1.1.0", "tx22").err == "torchpatch: error: unknown board 'tx22'\nhint: there are tx1, tx2\n");
  CHECK(with("v1.1.9", "tx2").err ==
        "torchpatch: error: unknown release '1.1.9'\nhint: of the 1.1 family there is 1.1.0\n");
}
