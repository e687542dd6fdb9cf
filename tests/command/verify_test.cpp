// SPDX-License-Identifier: BSD-3-Clause
#include <filesystem>

#include "command/toy_workspace.h"
#include "support/catch.h"
#include "support/program.h"
#include "support/source_directory.h"
#include "support/text.h"

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

/// Returns the arguments of a command as a shell reads its line.
std::vector<std::string> arguments_of(const std::string& line) {
  const ProgramResult run =
      run_program({{"sh", "-c", R"sh(eval "set -- $1"; shift; printf '%s\n' "$@")sh", "sh", line}, {}, "", {}});
  REQUIRE(run.exit_code == 0);
  return split(run.out.substr(0, run.out.size() - 1), '\n');
}

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
  CHECK_THAT(result.out, Catch::Contains("option: set when the tree was prepared: '--component torch'"));
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

TEST_CASE("verify: the command that it prints to have the tree again gives the same bytes, run as printed") {
  std::vector<std::vector<std::string>> choices = {
      {"--board", "kv260", "--set", "python=3.7"},  // whose file names no image with that Python
      {"--board", "rpi4", "--component", "torch", "--set", "CXX=g++ -v 'mine'", "--force-set", "NOT_READ=\"$HOME\""},
      {"--board", "tx2", "--without", "cap-threads", "--with", "breakpad-off", "--unpatched"},
      {"--board", "tx2", "--host", "graviton2", "--force", "--build-target", "native"},
      {"--board", "mine", "--set", "python=3.7"}};  // of a layer of one's own
#ifdef TORCHPATCH_SANITIZED
  choices.resize(2);  // each takes half a minute there
#endif
  for (const std::vector<std::string>& choice : choices) {
    test::TestWorkspace workspace;
    workspace.set_variable("TORCHPATCH_DATA", test::source_directory());
    const std::string out = workspace.path("it's out");
    std::vector<std::string> catalogs = {"--catalog", "sample", "--catalog", workspace.path("my lay")};
    if (choice[1] != "mine") catalogs.clear();
    std::string board = read_file(test::source_directory() + "/boards/kv260.json");
    board.erase(board.find("\"aliases\""), board.find('\n', board.find("\"aliases\"")) - board.find("\"aliases\""));
    const std::size_t id = board.find("\"kv260\"");
    workspace.write("my lay/boards/mine.json", board.substr(0, id) + "\"mine\"" + board.substr(id + 7));
    const auto verify = [&] {
      std::vector<std::string> words = {"verify", out, "--quiet"};
      words.insert(words.end(), catalogs.begin(), catalogs.end());
      return workspace.run(words);
    };
    std::vector<std::string> args = {"prepare", "--version", "1.1.0", "--source", "sample", "--output", out, "--quiet"};
    args.insert(args.end(), choice.begin(), choice.end());
    args.insert(args.end(), catalogs.begin(), catalogs.end());
    INFO(join(args, " "));
    const CliResult prepared = workspace.run(args);
    INFO(prepared.err);
    REQUIRE(prepared.exit_code == 0);
    const std::string manifest = read_file(out + "/torchpatch/manifest.json");
    CHECK(verify().exit_code == 0);
    write_file_atomically(out + "/pytorch/setup.py", "");
    write_file_atomically(out + "/torchpatch/build.sh", "");
    make_directories(out + "/dist");
    write_file_atomically(out + "/dist/torch-1.whl", "precious");
    const CliResult found = verify();
    CHECK(found.exit_code == 1);
    const std::string lead = "to restore the tree: ";
    const std::size_t at = found.out.find(lead);
    REQUIRE(at != std::string::npos);
    std::string line = found.out.substr(at + lead.size(), found.out.find('\n', at) - at - lead.size());
    for (std::size_t place = 0; (place = line.find("$TMP")) != std::string::npos;)
      line.replace(place, 4, workspace.path(""));
    // What a build left beside the components is moved away, not lost.
    const std::size_t prepare = line.find("torchpatch prepare ");
    REQUIRE(prepare != std::string::npos);
    CHECK(
        run_program({{"sh", "-c", line.substr(0, prepare) + "true"}, {{"PATH", "/usr/bin:/bin"}}, "", {}}).exit_code ==
        0);
    CHECK(read_file(out + "-dist/torch-1.whl") == "precious");
    line.erase(0, prepare);
    const CliResult again = workspace.run(arguments_of(line));
    INFO(line << "\n" << again.err);
    CHECK(again.exit_code == 0);
    CHECK(read_file(out + "/torchpatch/manifest.json") == manifest);
    CHECK(verify().exit_code == 0);
  }
}

TEST_CASE("verify: in the tree itself, the command that it prints leaves it first") {
  const Prepared workspace;
  workspace.write("out/pytorch/setup.py", "# edited\n");
  workspace.write("out/dist/x.whl", "precious");
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(workspace.path("out/pytorch"));
  const CliResult result = workspace.run({"verify", "..", "--quiet"});
  std::filesystem::current_path(before);
  CHECK_THAT(result.out,
             Catch::Contains("to restore the tree: cd / && mv -- $TMP/out/dist $TMP/out-dist && torchpatch prepare ") &&
                 Catch::Contains(" --replace --output $TMP/out\n"));
}
