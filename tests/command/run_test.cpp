// SPDX-License-Identifier: BSD-3-Clause
// What holds for every command: help, errors, exit codes, stdout and stderr.
#include "cli/run.h"
#include "support/catch.h"

#include <sstream>

#include "command/toy_workspace.h"

using namespace torchpatch;
using test::CliResult;
using test::TestWorkspace;

TEST_CASE("run: no command is a usage error") {
  const CliResult result = TestWorkspace().run({});
  CHECK(result.exit_code == 2);
  CHECK(result.out.empty());
  CHECK(result.err == "torchpatch: error: no command given\nhint: 'torchpatch --help' lists the commands\n");
}

TEST_CASE("run: the nearest command is named") {
  const CliResult result = TestWorkspace().run({"prepair"});
  CHECK(result.exit_code == 2);
  CHECK(result.err == "torchpatch: error: unknown command 'prepair'\nhint: did you mean 'prepare'?\n");
}

TEST_CASE("run: --help goes to stdout and names every command and exit code") {
  const CliResult result = TestWorkspace().run({"--help"});
  CHECK(result.exit_code == 0);
  CHECK(result.err.empty());
  CHECK_THAT(result.out, Catch::Contains("\nStart here:\n  prepare  ") && Catch::Contains("\nBuild:\n  recipe  ") &&
                             Catch::Contains("\nReview:\n  verify  ") && Catch::Contains("\nMaintain:\n  check  "));
  CHECK_THAT(result.out, !Catch::Contains("\n  bundle "));  // former names
  for (const char* text :
       {"prepare", "verify", "explain", "list", "show", "patch certify", "results record", "\n  70 ", "\n  128+n "})
    CHECK_THAT(result.out, Catch::Contains(text));
  CHECK_THAT(result.out, !Catch::Contains("write-source"));
}

TEST_CASE("run: every command has help, also the plumbing") {
  for (const char* command : {"prepare", "verify", "explain", "list", "show", "write-source", "completion", "man"}) {
    const CliResult result = TestWorkspace().run({command, "--help"});
    CHECK(result.exit_code == 0);
    CHECK_THAT(result.out, Catch::StartsWith(std::string("torchpatch ") + command + ": "));
  }
  CHECK(TestWorkspace().run({"patch", "certify", "-h"}).exit_code == 0);
}

TEST_CASE("run: no line of any help is longer than a terminal") {
  for (const std::vector<std::string>& args : std::vector<std::vector<std::string>>{
           {"--help"}, {"prepare", "--help"}, {"verify", "--help"}, {"patch", "certify", "--help"}}) {
    std::istringstream lines(TestWorkspace().run(args).out);
    for (std::string line; std::getline(lines, line);)
      if (line.rfind("    torchpatch ", 0) != 0) CHECK(line.size() <= 80);  // examples stay whole
  }
}

TEST_CASE("run: --version") {
  const CliResult result = TestWorkspace().run({"--version"});
  CHECK(result.exit_code == 0);
  CHECK(result.out == "torchpatch " TORCHPATCH_VERSION "\n");
}

TEST_CASE("run: colour only when asked for, and not into a file") {
  CHECK_THAT(TestWorkspace().run({"--color", "always", "nonsense"}).err, Catch::Contains("\033[31;1merror:\033[0m"));
  CHECK_THAT(TestWorkspace().run({"--color=never", "nonsense"}).err, !Catch::Contains("\033"));
  CHECK_THAT(TestWorkspace().run({"nonsense"}).err, !Catch::Contains("\033"));
}

TEST_CASE("run: NO_COLOR and a dumb terminal have no colour") {
  const auto error_on_terminal = [](const std::map<std::string, std::string>& variables) {
    std::ostringstream out, err;
    cli::Environment environment;
    environment.variables = variables;
    environment.err_is_terminal = true;
    cli::run({"nonsense"}, out, err, environment);
    return err.str();
  };
  CHECK_THAT(error_on_terminal({}), Catch::Contains("\033["));
  CHECK_THAT(error_on_terminal({{"NO_COLOR", "1"}}), !Catch::Contains("\033["));
  CHECK_THAT(error_on_terminal({{"TERM", "dumb"}}), !Catch::Contains("\033["));
}

TEST_CASE("run: with --json an error is JSON too, one document on stdout, and in words on stderr") {
  const CliResult result = TestWorkspace().run({"list", "board", "--json"});
  CHECK(result.exit_code == 2);
  CHECK(result.err ==
        "torchpatch: error: unknown KIND 'board'; choose from releases, boards, images, issues, fixes, "
        "patchsets, settings, pairs\n"
        "hint: did you mean 'boards'?\n");
  CHECK(result.out ==
        "{\n"
        "  \"schema\": 1,\n"
        "  \"error\": {\n"
        "    \"code\": \"usage\",\n"
        "    \"exit_code\": 2,\n"
        "    \"message\": \"unknown KIND 'board'; choose from releases, boards, images, issues, fixes, "
        "patchsets, settings, pairs\",\n"
        "    \"hint\": \"did you mean 'boards'?\",\n"
        "    \"context\": [],\n"
        "    \"findings\": []\n"
        "  }\n"
        "}\n");
}

TEST_CASE("run: an error is JSON wherever --json stands, also where the line cannot be parsed") {
  for (const std::vector<std::string>& args : std::vector<std::vector<std::string>>{
           {"--json"}, {"prepair", "--json"}, {"prepare", "--json", "--no-such-option"}, {"audit", "sign", "--json"}}) {
    const CliResult result = TestWorkspace().run(args);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.out, Catch::Contains("\"code\": \"usage\""));
  }
  CHECK(TestWorkspace().run({"list", "board"}).out.empty());
  CHECK(TestWorkspace().run({"list", "board", "--", "--json"}).out.empty());  // no option
}

TEST_CASE("run: with --json each finding of an error is told by itself") {
  TestWorkspace workspace;
  workspace.write("data/releases/1.1.0.json", "{\"schema\": 1,\n \"vers\": \"1.1.0\"}");
  workspace.set_variable("TORCHPATCH_DATA", workspace.path("data"));
  const CliResult result = workspace.run({"list", "releases", "--json"});
  CHECK(result.exit_code == 3);
  CHECK_THAT(result.out, Catch::Contains("\"code\": \"data\"") && Catch::Contains("\"hint\": null") &&
                             Catch::Contains("\"message\": \"loading the catalog: 6 findings\\n") &&
                             Catch::Contains("        \"file\": \"$TMP/data/releases/1.1.0.json\",\n"
                                             "        \"line\": 2,\n"
                                             "        \"key\": \"vers\",\n"
                                             "        \"message\": \"unknown key"));
}

TEST_CASE("run: an error after the result is printed adds no second document") {
  test::ToyWorkspace toy;
  const CliResult result =
      toy.run({"check", "--mirror", toy.upstream.mirror() + "/vision", "--board", "small", "--quiet", "--json"});
  CHECK(result.exit_code == 4);
  CHECK_THAT(result.out, Catch::Contains("\"missing\": [\n") && !Catch::Contains("\"error\""));
  CHECK_THAT(result.err, Catch::Contains("1 commit is not there"));
}

TEST_CASE("run: a result that cannot be written is an error") {
  std::ostringstream out, err;
  out.setstate(std::ios::badbit);
  CHECK(cli::run({"--help"}, out, err, {}) == 7);
  CHECK_THAT(err.str(), Catch::StartsWith("torchpatch: error: writing the result to standard output"));
}

TEST_CASE("run: a SOURCE_DATE_EPOCH that is no time is refused") {
  for (const char* const epoch : {"abc", "-1", "253402300800"}) {
    test::ToyWorkspace toy;
    toy.set_variable("SOURCE_DATE_EPOCH", epoch);
    const CliResult result = toy.run({"patch", "edit", "block-limit", "V1", "--version", "1.1.0", "--mirror",
                                      toy.upstream.mirror(), "--work", toy.path("work")});
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, Catch::Contains("not a number of seconds since 1970"));
  }
}

TEST_CASE("run: without a catalog it says where it looked") {
  TestWorkspace workspace;
  workspace.set_variable("TORCHPATCH_DATA", workspace.path("nowhere"));
  const CliResult result = workspace.run({"list", "boards"});
  CHECK(result.exit_code == 7);
  CHECK(result.err ==
        "torchpatch: error: looking for the catalog: '$TMP/nowhere' has no releases/\n"
        "hint: TORCHPATCH_DATA must be a directory that contains releases/, boards/ and patchsets/\n");
}

TEST_CASE("run: a malformed catalog is a data error with file and line") {
  TestWorkspace workspace;
  workspace.write("data/releases/1.1.0.json", "{\"schema\": 1,\n \"vers\": \"1.1.0\"}");
  workspace.set_variable("TORCHPATCH_DATA", workspace.path("data"));
  const CliResult result = workspace.run({"list", "releases"});
  CHECK(result.exit_code == 3);
  CHECK(result.out.empty());
  CHECK_THAT(result.err, Catch::StartsWith("torchpatch: error: loading the catalog: 6 findings\n") &&
                             Catch::Contains("  $TMP/data/releases/1.1.0.json:2: vers: unknown key"));
}
