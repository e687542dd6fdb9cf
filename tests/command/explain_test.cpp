// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "command/toy_workspace.h"
#include "support/catch.h"
#include "support/source_directory.h"
#include "support/text.h"

using namespace torchpatch;
using test::CliResult;
using test::TestWorkspace;
using test::ToyWorkspace;

TEST_CASE("explain: says why an issue applies and why it does not") {
  const ToyWorkspace workspace;
  const CliResult small = workspace.run({"explain", "--version", "1.1.0", "--board", "small"});
  CHECK(small.exit_code == 0);
  CHECK_THAT(small.out, Catch::Contains("block-limit") && Catch::Contains("quiet"));
  CHECK_THAT(small.out, Catch::Contains("known issues: 1 uncertified, 1 set in build.env; 0 do not apply"));
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
        "hint: a lower-case key sets a fact (gcc=7.5), an upper-case key a build variable (USE_OPENCV=1)\n");
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
        "torchpatch: error: --set USE_NCLL: no known release reads it\n"
        "hint: did you mean 'USE_NCCL'? --force-set USE_NCLL=0 sets it anyway\n");
  const CliResult unread = with("--set", "NO_CUDA=1");
  CHECK(unread.exit_code == 2);
  CHECK(unread.err ==
        "torchpatch: error: --set NO_CUDA: release 1.5.1 does not read it; 1.0.0 to 1.4.1 do\n"
        "hint: this release reads 'USE_CUDA'; --force-set NO_CUDA=1 sets it anyway\n");
  const CliResult forced = with("--force-set", "NO_CUDA=1");
  CHECK(forced.exit_code == 0);
  CHECK_THAT(forced.out, Catch::Contains("release 1.5.1 does not read it; 1.0.0 to 1.4.1 do"));
  CHECK(with("--set", "_PYTHON_HOST_PLATFORM=linux-armv7l").exit_code == 0);
  CHECK(with("--set", "USE_GLOG=1").exit_code == 0);
  const CliResult fact = with("--force-set", "gcc=9");
  CHECK(fact.exit_code == 2);
  CHECK(fact.err ==
        "torchpatch: error: --force-set 'gcc' is not a variable name\n"
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
  CHECK_THAT(text.out,
             Catch::Contains("note: prepared with '--set CC=/tmp/evilcc', a choice that cannot be verified\n") &&
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
  CHECK(with("1.1.0", "tx22").err ==
        "torchpatch: error: unknown board 'tx22'\nhint: similar: tx1, tx2; 'torchpatch list boards' lists all\n");
  CHECK(with("v1.1.9", "tx2").err ==
        "torchpatch: error: unknown release '1.1.9'\n"
        "hint: of the 1.1 family there is 1.1.0; releases that fit board 'tx2': 1.0.0 to 1.13.1\n");
}

namespace {

/// With the shipped catalog.
struct ExplainWorkspace : TestWorkspace {
  ExplainWorkspace() { set_variable("TORCHPATCH_DATA", test::source_directory()); }
  CliResult explain(std::vector<std::string> more) const {
    more.insert(more.begin(), "explain");
    return run(more);
  }
};

std::size_t longest_explained(const std::string& text) {
  std::size_t longest = 0;
  for (const std::string& line : split(text, '\n')) longest = std::max(longest, line.size());
  return longest;
}

}  // namespace

TEST_CASE("explain: groups the issues by what is done, in titles, what applies alone") {
  const ExplainWorkspace workspace;
  const std::string out = workspace.explain({"--version", "1.1.0", "--board", "tx2"}).out;
  std::vector<std::size_t> places;
  for (const char* heading :
       {"\nfor you to do\n",
        "\npatched: prepare applies the patch\n  too many resources requested for launch: CUDA kernels need more "
        "registers than a block of the GPU has "
        "(cuda-threads-per-block)\n      Launch at most 512 threads per block (fix cap-threads, variant T2)\n"
        "      gpu is true; registers_per_block is 32768 (<65536)\n",
        "\nset in build.env\n", "\nhandled after the build: build.sh runs it\n",
        "\nfor information: read them if something fails\n", "\ncomponents\n", "\npatches, in order\n",
        "\nenvironment of the build\n"}) {
    INFO(heading);
    places.push_back(out.find(heading));
    CHECK(places.back() != std::string::npos);
  }
  CHECK(std::is_sorted(places.begin(), places.end()));
  CHECK_THAT(out, !Catch::Contains("(armv7-format-errors)"));
  const std::string all = workspace.explain({"--version", "1.1.0", "--board", "tx2", "--all"}).out;
  CHECK_THAT(all, Catch::Contains("\nissues that do not apply\n") && Catch::Contains("(armv7-format-errors)"));
  CHECK(workspace.explain({"--version", "1.1.0", "--board", "tx2", "--all", "--json"}).out ==
        workspace.explain({"--version", "1.1.0", "--board", "tx2", "--json"}).out);
}

TEST_CASE("explain: what nobody answers stands first") {
  const ToyWorkspace workspace;
  const auto explain = [&](const std::string& option, const std::string& value) {
    return workspace.run({"explain", "--version", "1.1.0", "--board", "small", option, value}).out;
  };
  const std::string out = workspace.run({"explain", "--version", "1.1.0", "--board", "small"}).out;
  const std::size_t uncertified = out.find("\nuncertified: ");
  CHECK(uncertified < out.find("\nvariable: "));
  CHECK_THAT(explain("--without", "be-quiet"), Catch::Contains("\ndeclined: they apply, but no fix is used\n") &&
                                                   Catch::Contains("(quiet)\n      --without be-quiet\n"));
}

TEST_CASE("explain: says which image it took where none is named") {
  const ExplainWorkspace workspace;
  const auto explain = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"--version", "1.1.0", "--board", "tx2"});
    return workspace.explain(more).out;
  };
  CHECK_THAT(explain({}), Catch::Contains("\n  image jetpack-3.3 assumed; use --image to change it\n"));
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"--image", "jetpack-3.3"}, std::vector<std::string>{"--json"}})
    CHECK_THAT(explain(more), !Catch::Contains("assumed"));
}

TEST_CASE("explain: of a long script the first lines, with --all every one") {
  const ExplainWorkspace workspace;
  const auto explain = [&](const std::string& option) {
    const std::string out = workspace.explain({"--version", "1.1.0", "--board", "tx2", option}).out;
    return out.substr(out.rfind("\nafter the build\n"));
  };
  const std::string cut = explain("--color=never"), all = explain("--all");
  CHECK_THAT(cut, Catch::Contains(" more lines ('explain --all' prints all)\n"));
  CHECK_THAT(all, !Catch::Contains("more lines"));
  CHECK(std::ranges::count(all, '\n') > std::ranges::count(cut, '\n') + 10);
}

TEST_CASE("explain: added files are no patch") {
  const ExplainWorkspace workspace;
  const std::string out = workspace.explain({"--version", "2.7.0", "--board", "kv260"}).out;
  CHECK_THAT(out, Catch::Contains(", 1 fixed by added files, ") &&
                      Catch::Contains("\nadded files: prepare adds them\n") &&
                      !Catch::Contains("\npatched: prepare applies the patch\n"));
}

TEST_CASE("explain: wraps at the terminal's width, ids stay whole") {
  ExplainWorkspace workspace;
  workspace.set_width(72);
  const std::string out = workspace.explain({"--version", "1.1.0", "--board", "tx2"}).out;
  const std::string groups = out.substr(0, out.find("\ncomponents\n"));
  CHECK(longest_explained(groups) > 60);
  CHECK(longest_explained(groups) <= 72);
}

TEST_CASE("explain: of one issue, why it applies and what is done, or why it does not") {
  const ExplainWorkspace workspace;
  const auto explain = [&](const std::string& issue, const std::string& board) {
    return workspace.explain({issue, "--version", "1.1.0", "--board", board});
  };
  const CliResult patched = explain("cuda-threads-per-block", "tx2");
  CHECK(patched.exit_code == 0);
  CHECK_THAT(patched.out,
             Catch::StartsWith(
                 "issue cuda-threads-per-block: too many resources requested for launch: CUDA kernels need more "
                 "registers than a block of the GPU has\n"
                 "  for       PyTorch 1.1.0 for NVIDIA Jetson TX2 (tx2), image jetpack-3.3, Python 3.5\n"
                 "  image     jetpack-3.3 assumed; use --image to change it\n"
                 "  applies   release 1.1.0 is in >=1.0.0 <1.14; gpu is true; registers_per_block is 32768 (<65536)\n"
                 "  done      prepare changes the sources\n"
                 "  fix       Launch at most 512 threads per block: fix cap-threads (patch, variant T2)\n"));
  CHECK_THAT(patched.out, Catch::Contains("\npatches, in order\n  cuda-threads/T2/0001-") && !Catch::Contains("nccl") &&
                              !Catch::Contains("USE_FBGEMM"));
  CHECK_THAT(explain("fbgemm-on-arm", "tx2").out, Catch::Contains("\n  USE_FBGEMM=0  issue fbgemm-on-arm  read at "));
  const std::string by_hand = explain("out-of-memory", "tx2").out;
  CHECK_THAT(by_hand, Catch::Contains("  done      nothing: you have to fix it\n") && Catch::Contains("\nFix\n") &&
                          Catch::Contains("\nother fixes\n  --with one-job  "));
  const std::string absent = explain("cuda-threads-per-block", "rpi4").out;
  CHECK_THAT(absent, Catch::EndsWith("  does not apply  gpu is false, not true; registers_per_block is absent, not "
                                     "<65536\n  done            nothing is needed\n  severity        "
                                     "runtime-failure\n"));
}

TEST_CASE("explain: of one issue as JSON, the plan with it alone") {
  const ExplainWorkspace workspace;
  const std::string out = workspace.explain({"fbgemm-on-arm", "--version", "1.1.0", "--board", "tx2", "--json"}).out;
  CHECK_THAT(out, Catch::Contains("\"issues\": [\n    {\n      \"id\": \"fbgemm-on-arm\",\n      \"applies\": true,"));
  CHECK_THAT(out, Catch::Contains("\"patches\": []") && Catch::Contains("\"name\": \"USE_FBGEMM\"") &&
                      !Catch::Contains("extension-names"));
}

TEST_CASE("explain: an issue without a release and a board is shown") {
  const ExplainWorkspace workspace;
  for (const char* form : {"--color=never", "--json"}) {
    const CliResult explained = workspace.explain({"fbgemm-on-arm", form});
    CHECK(explained.exit_code == 0);
    CHECK(explained.out == workspace.run({"show", "issue", "fbgemm-on-arm", form}).out);
  }
  CHECK(workspace.explain({"fbgemm-on-arm", "--version", "1.1.0"}).err ==
        "torchpatch: error: missing: --board BOARD\nhint: see 'torchpatch explain --help'\n");
}

TEST_CASE("explain: what is neither an issue nor a tree, and what is both") {
  const ToyWorkspace workspace;
  const auto explain = [&](std::vector<std::string> more) {
    more.insert(more.begin(), "explain");
    return workspace.run(more);
  };
  const CliResult misspelt = explain({"block-limt"});
  CHECK(misspelt.exit_code == 2);
  CHECK(misspelt.err == "torchpatch: error: unknown issue 'block-limt'\nhint: did you mean 'block-limit'?\n");
  const CliResult unknown = explain({"something", "--version", "1.1.0", "--board", "small"});
  CHECK(unknown.exit_code == 2);
  CHECK(unknown.err == "torchpatch: error: unknown issue 'something'\nhint: 'torchpatch list issues' lists them\n");
  const CliResult absent = explain({"something"});
  CHECK(absent.exit_code == 7);
  CHECK(absent.err ==
        "torchpatch: error: 'something' is neither a prepared tree nor a known issue\n"
        "hint: pass a directory written by 'torchpatch prepare'; 'torchpatch list issues' shows the issues\n");
  CHECK(explain({"./block-limt"}).exit_code == 7);
}

TEST_CASE("explain: --version newest is the newest certified release that fits, and is said first") {
  ExplainWorkspace workspace;
  const CliResult newest = workspace.explain({"--version", "newest", "--board", "TX2"});
  CHECK(newest.exit_code == 0);
  const std::string first = newest.err.substr(0, newest.err.find('\n'));
  const std::string version = first.substr(8, first.find(" is the newest") - 8);
  CHECK(first == "release " + version + " is the newest certified one that fits board 'TX2'");
  CHECK(newest.out == workspace.explain({"--version", version, "--board", "tx2"}).out);
  CHECK_THAT(newest.out, !Catch::Contains("uncertified"));
  CHECK_THAT(workspace.explain({"--version", "newest", "--board", "tx2", "--image", "jetpack-3.3", "--json"}).out,
             Catch::Contains("\"release\": \"1.5.1\""));
}

TEST_CASE("explain: --version newest where no certified release fits") {
  const ToyWorkspace workspace;
  const CliResult result = workspace.run({"explain", "--version", "newest", "--board", "small"});
  CHECK(result.exit_code == 2);
  CHECK(result.err ==
        "torchpatch: error: --version newest: no certified release fits board 'small'\n"
        "hint: releases that fit board 'small': 1.1.0\n");
  CHECK_THAT(workspace.run({"explain", "--version", "newest", "--board", "plain"}).out,
             Catch::StartsWith("PyTorch 1.1.0 for "));
}

TEST_CASE("explain: where release and board do not fit together, the hint ends with the releases that do") {
  const ExplainWorkspace workspace;
  const auto hint = [&](const std::string& version, const std::string& image) {
    const CliResult result = workspace.explain({"--version", version, "--board", "tx2", "--image", image});
    CHECK(result.exit_code == 2);
    return result.err.substr(result.err.find("hint: "));
  };
  CHECK(hint("1.12.0", "jetpack-3.3") ==
        "hint: --force continues anyway; --set python=VERSION selects another installed Python; releases that fit "
        "board 'tx2' with image 'jetpack-3.3': 1.0.0 to 1.5.1\n");
  CHECK(hint("9.9", "jetpack-3.3") ==
        "hint: 'torchpatch list releases' lists them; releases that fit board 'tx2' with image 'jetpack-3.3': "
        "1.0.0 to 1.5.1\n");
  CHECK(hint("1.1.0", "jetpak-3.3") == "hint: did you mean 'jetpack-3.3'?\n");
  CHECK(workspace.explain({"--version", "1.1.0", "--board", "tx2", "--without", "no-such-fix"}).err ==
        "torchpatch: error: --without 'no-such-fix': no issue has this fix\n"
        "hint: 'torchpatch list fixes' lists them\n");
}
