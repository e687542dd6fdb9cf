// SPDX-License-Identifier: BSD-3-Clause
#include "cli/command_line.h"

#include <memory>

#include "support/catch.h"
#include "support/error.h"

using namespace torchpatch;
using namespace torchpatch::cli;

namespace {

/// What the test command saw.
struct Seen {
  std::string board, directory, kind;
  std::vector<std::string> mirrors;
  int jobs = 0;
  bool force = false;
};
Seen seen;

Action declare_build(OptionSet& options) {
  const auto line = std::make_shared<Seen>();
  options.value("--board", line->board, "BOARD", "the board", Need::required);
  options.values("-m,--mirror", line->mirrors, "DIR", "a mirror");
  options.number("-j,--jobs", line->jobs, 8, "workers");
  options.choice("--kind", line->kind, {"fast", "slow"}, "how");
  options.flag("--force", line->force, "go on");
  options.argument("DIR", line->directory, "where", Need::required);
  return [line](Context&) {
    seen = *line;
    return 0;
  };
}

Action declare_nothing(OptionSet&) {
  return [](Context&) { return 0; };
}

Action declare_review(OptionSet& options) {
  const auto line = std::make_shared<Seen>();
  options.argument("TREE", line->directory, "what", Need::optional);
  return [line](Context&) {
    seen = *line;
    return 0;
  };
}

const std::vector<Command>& commands() {
  static const std::vector<Command> table = {
      {.name = "build", .declare = declare_build, .group = "Build", .summary = "build it"},
      {.name = "patch certify", .declare = declare_nothing, .group = "Build", .summary = "certify"},
      {.name = "review", .declare = declare_review, .group = "Build", .summary = "review"},
      {.name = "review sign", .declare = declare_nothing, .group = "Build", .summary = "sign"},
      {.name = "secret", .declare = declare_nothing, .summary = "plumbing"}};
  return table;
}

CommandLine parse(const std::vector<std::string>& args) { return parse_command_line(args, commands()); }

/// Parses, runs, and returns what the command saw.
Seen run(const std::vector<std::string>& args) {
  NullConsole console;
  std::ostringstream out;
  const Environment environment;
  Context context{out, environment, console, ""};
  seen = {};
  parse(args).action(context);
  return seen;
}

/// Returns "message | hint" of the usage error that `args` raise.
std::string refusal(const std::vector<std::string>& args) {
  try {
    parse(args);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::usage);
    return error.message() + " | " + error.hint();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("parse_command_line: options before and after arguments") {
  const Seen line = run({"build", "-m", "a", "out", "--mirror=b", "--board", "tx2", "--jobs", "3", "--force"});
  CHECK(line.board == "tx2");
  CHECK(line.directory == "out");
  CHECK(line.mirrors == std::vector<std::string>{"a", "b"});
  CHECK(line.jobs == 3);
  CHECK(line.force);
}

TEST_CASE("parse_command_line: a repeatable option takes one word each time") {
  CHECK(run({"build", "--board", "b", "--mirror", "a", "out"}).directory == "out");
}

TEST_CASE("parse_command_line: values keep brackets, blanks and what looks like a command") {
  const Seen line = run({"build", "--board", "[a,b]", "--mirror", "x y", "patch"});
  CHECK(line.board == "[a,b]");
  CHECK(line.mirrors == std::vector<std::string>{"x y"});
  CHECK(line.directory == "patch");
}

TEST_CASE("parse_command_line: words after -- are arguments") {
  CHECK(run({"build", "--board", "b", "--", "-out"}).directory == "-out");
}

TEST_CASE("parse_command_line: a command of two words") {
  CHECK(parse({"patch", "certify"}).command->name == "patch certify");
}

TEST_CASE("parse_command_line: global options stand before or after the command") {
  CHECK(parse({"--quiet", "--color", "never", "patch", "certify"}).color == "never");
  const CommandLine line = parse({"patch", "certify", "-q", "--color=always"});
  CHECK(line.quiet);
  CHECK(line.color == "always");
}

TEST_CASE("parse_command_line: help needs no required option") {
  CHECK(parse({"build", "--help"}).help);
  CHECK(parse({"-h"}).command == nullptr);
  CHECK(parse({"--version"}).version);
}

TEST_CASE("parse_command_line: refuses") {
  const std::string see = " | see 'torchpatch build --help'";
  SECTION("nothing") { CHECK(refusal({}) == "no command given | 'torchpatch --help' lists the commands"); }
  SECTION("an unknown command") { CHECK(refusal({"biuld"}) == "unknown command 'biuld' | did you mean 'build'?"); }
  SECTION("an unknown command, hinting at no plumbing") {
    CHECK(refusal({"secre"}) == "unknown command 'secre' | 'torchpatch --help' lists the commands");
  }
  SECTION("half a command") {
    CHECK(refusal({"patch"}) == "'patch' needs a subcommand | the commands are: patch certify");
    CHECK(refusal({"patch", "--json"}) == "'patch' needs a subcommand | the commands are: patch certify");
    CHECK(refusal({"patch", "x"}) == "unknown command 'patch x' | the commands are: patch certify");
  }
  SECTION("an unknown option, before the required ones that are missing") {
    CHECK(refusal({"build", "--bord", "tx2"}) == "unknown option '--bord' | did you mean '--board'?");
    CHECK(refusal({"build", "--xyzzy=1"}) == "unknown option '--xyzzy'" + see);
    CHECK(refusal({"--bogus", "build"}) == "unknown option '--bogus' | 'torchpatch --help' lists the commands");
  }
  SECTION("everything that is missing, at once") { CHECK(refusal({"build"}) == "missing: --board BOARD, DIR" + see); }
  SECTION("an argument too many") {
    CHECK(refusal({"build", "--board", "b", "out", "more\n"}) == "unexpected argument 'more\\n'" + see);
  }
  SECTION("an option without its value") {
    CHECK(refusal({"build", "--board"}) == "option '--board' needs a value" + see);
  }
  SECTION("an empty value") {
    CHECK(refusal({"build", "--board", "", "out"}) == "'--board' needs a value, not an empty text | ");
    CHECK(refusal({"build", "--board", "b", ""}) == "'DIR' needs a value, not an empty text | ");
  }
  SECTION("an option given twice") {
    CHECK(refusal({"build", "--board", "a", "--board", "b", "out"}) == "option '--board' is given twice" + see);
  }
  SECTION("a value for a flag") {
    CHECK(refusal({"build", "--force=no", "--board", "b", "out"}) == "option '--force' does not accept a value" + see);
  }
  SECTION("a value that is not among the choices") {
    CHECK(refusal({"build", "--kind", "fats"}) ==
          "unknown --kind 'fats'; choose from fast, slow | did you mean 'fast'?");
  }
  SECTION("a number out of range") {
    for (const char* jobs : {"0", "9", "x", "99999999999999999999", "1.5"}) {
      CHECK(refusal({"build", "--jobs", jobs}) ==
            "--jobs: found '" + std::string(jobs) + "', need a number from 1 to 8 | ");
    }
  }
}

TEST_CASE("describe_command: walks names, kinds and needs") {
  const Command build = describe_command(commands().front());
  REQUIRE(build.options.size() == 9);
  CHECK(synopsis(build) == "torchpatch build --board BOARD [OPTION]... DIR");
  const OptionDescription& mirror = build.options[1];
  CHECK(option_heading(mirror) == "-m, --mirror DIR");
  CHECK(mirror.may_repeat);
  CHECK_FALSE(mirror.is_required);
  CHECK_FALSE(build.options[0].may_repeat);
  CHECK(build.options[0].is_required);
  CHECK(build.options[3].choices == std::vector<std::string>{"fast", "slow"});
  CHECK(build.options[4].metavar.empty());
  CHECK(build.options[5].is_argument);
}

TEST_CASE("describe_program: keeps plumbing apart") {
  const std::vector<Command> program = describe_program(commands());
  CHECK(program.size() == 6);
  CHECK(user_commands(program).size() == 4);
}

TEST_CASE("parse_command_line: a command may stand beside those that go on with its name") {
  CHECK(parse({"review", "sign"}).command->name == "review sign");
  CHECK(parse({"review"}).command->name == "review");
  CHECK(run({"review", "tree"}).directory == "tree");
  CHECK(run({"review", "./sign"}).directory == "./sign");
  CHECK_THAT(refusal({"review", "a", "b"}), Catch::StartsWith("unexpected argument 'b'"));
}
