// SPDX-License-Identifier: BSD-3-Clause
// A folder or file that is named and not there is exit code 7, whatever the command.
#include <algorithm>
#include <set>

#include "cli/command_line.h"
#include "command/toy_workspace.h"
#include "support/catch.h"
#include "support/signing_keys.h"
#include "support/source_directory.h"
#include "support/text.h"

namespace torchpatch::test {
namespace {

using Args = std::vector<std::string>;

/// The word in a row that stands for a path where nothing is.
const std::string kNowhere = "NOWHERE";

/// Lines that name one path that is not there; for each place where a command takes one that has to be.
std::vector<Args> lines() {
  const std::string at = kNowhere;
  const Args pair = {"--version", "1.1.0", "--board", "small"};
  const Args mirror = {"--mirror", "MIRROR"};
  const auto with = [](Args line, const std::vector<Args>& more) {
    for (const Args& each : more) line.insert(line.end(), each.begin(), each.end());
    return line;
  };
  return {
      with({"build", "--output", at + "/in/it"}, {pair, mirror}),
      with({"build", "--output", "OUT", "--catalog", at}, {pair, mirror}),
      with({"build", "--output", "OUT", "--mirror", at}, {pair}),
      with({"build", "--output", "OUT", "--archive", "torch=" + at}, {pair}),
      with({"build", "--output", "OUT", "--kind", "chroot", "--root", at}, {pair, mirror}),
      {"build", "--output", "OUT", "--project", at},
      with({"init", "--output", at + "/in/it"}, {pair}),
      with({"init", "--output", "OUT", "--catalog", at}, {pair}),
      with({"init", "--output", "OUT", "--mirror", at}, {pair}),
      {"prepare", "--output", "OUT", "--project", at},
      with({"prepare", "--output", "OUT", "--mirror", at}, {pair}),
      with({"prepare", "--output", "OUT", "--catalog", at}, {pair, mirror}),
      with({"prepare", "--output", "OUT", "--archive", "torch=" + at}, {pair}),
      with({"prepare", "--output", at + "/in/it"}, {pair, mirror}),
      with({"prepare", "--output", "OUT", "--sign", at}, {pair, mirror}),
      with({"prepare", "--output", "OUT", "--report", at + "/report"}, {pair, mirror}),
      with({"prepare", "--output", "OUT", "--locked", at}, {mirror}),
      {"verify", at},
      {"verify", "TREE", "--mirror", at},
      {"verify", "TREE", "--catalog", at},
      {"verify", "TREE", "--signature", at},
      {"explain", at},
      {"explain", "TREE", "--catalog", at},
      with({"explain", "--catalog", at}, {pair}),
      {"diagnose", at},
      {"diagnose", "LOG", "--tree", at},
      {"diagnose", "LOG", "--catalog", at},
      {"doctor", at},
      {"doctor", "--manifest", at},
      {"doctor", "--version", "1.1.0", "--root", at},
      {"doctor", "--version", "1.1.0", "--catalog", at},
      {"flags", "--version", "1.1.0", "--check", at},
      {"flags", "--version", "1.1.0", "--catalog", at},
      {"recipe", at, "--kind", "native", "--output", "OUT"},
      {"recipe", "TREE", "--kind", "native", "--output", at + "/in/it"},
      {"recipe", "TREE", "--kind", "native", "--output", "OUT", "--root", at},
      {"recipe", "TREE", "--kind", "native", "--output", "OUT", "--catalog", at},
      {"recipe", "TREE", "--check", at},
      {"kernels", at, "--board", "tx2"},
      {"kernels", "LOG", "--board", "tx2", "--catalog", at},
      {"wheel", "check", at, "--board", "rpi4"},
      {"wheel", "check", "LOG", "--board", "rpi4", "--catalog", at},
      {"wheel", "fix-names", at, "--board", "rpi4", "--output", "OUT"},
      {"wheel", "fix-names", "LOG", "--board", "rpi4", "--output", "OUT", "--catalog", at},
      {"matrix", "--versions", "==1.8.1", "--boards", "rpi4", "--emit", "slurm", "--output", at + "/in/it"},
      {"matrix", "--versions", "==1.8.1", "--boards", "rpi4", "--emit", "slurm", "--output", "OUT", "--catalog", at},
      {"matrix", "--project", at, "--emit", "slurm", "--output", "OUT"},
      {"matrix", "status", at},
      {"matrix", "status", "MATRIX", "--results", at},
      {"matrix", "status", "MATRIX", "--output", at + "/report"},
      {"list", "boards", "--catalog", at},
      {"show", "board", "small", "--catalog", at},
      {"release", "add", "1.2.0", "--commit", std::string(40, '1'), "--into", "TREE", "--mirror", at},
      {"release", "add", "1.2.0", "--commit", std::string(40, '1'), "--into", "TREE", "--catalog", at},
      {"release", "add", "1.2.0", "--commit", std::string(40, '1'), "--into", at, "--mirror", "MIRROR"},
      {"release", "add", "1.2.0", "--commit", std::string(40, '1'), "--into", "TREE", "--archive", "torch=" + at},
      {"check", "--mirror", at},
      {"check", "--catalog", at},
      {"check", "--output", at + "/report"},
      {"outdated", "--mirror", at},
      {"port", "1.1.0", "--mirror", at},
      {"port", "1.1.0", "--catalog", at},
      {"check", "--version", "1.1.0", "--archive", "torch=" + at},
      {"port", "1.1.0", "--archive", "torch=" + at},
      {"port", "--continue", "--work", at},
      {"outdated", "--catalog", at},
      {"prove", "--mirror", at},
      {"prove", "--catalog", at},
      {"prove", "--archive", "torch=" + at},
      {"board", "new", "mine", "--into", at},
      {"board", "new", "mine", "--into", "TREE", "--catalog", at},
      {"board", "new", "mine", "--into", "TREE", "--from-host", "--root", at},
      {"issue", "new", "mine", "--into", at},
      {"issue", "new", "mine", "--into", "TREE", "--catalog", at},
      {"audit", at},
      {"audit", "TREE", "--recipe", at},
      {"audit", "TREE", "--signer", at},
      {"audit", "TREE", "--against", at},
      {"audit", "TREE", "--against", at + "/torchpatch/manifest.json"},
      {"audit", "TREE", "--mirror", at},
      {"audit", "TREE", "--catalog", at},
      {"audit", "TREE", "--output", at + "/report"},
      {"audit", "--all", "--against", at},
      {"audit", "--all", "--mirror", at},
      with({"audit", "--catalog", at}, {pair}),
      {"audit", "approve", at, "--key", "KEY", "--into", "OUT"},
      {"audit", "approve", "TREE", "--key", at, "--into", "OUT"},
      {"audit", "approve", "TREE", "--key", "KEY", "--into", "OUT", "--catalog", at},
      {"docs", "--output", at + "/in/it"},
      {"docs", "--output", "OUT", "--catalog", at},
      {"diff", at, "1.1.0:small"},
      {"diff", "1.1.0:small", at},
      {"diff", "TREE", at},
      {"diff", "TREE", "1.1.0:small", "--catalog", at},
      {"export", at, "--output", "OUT.tar"},
      {"export", "TREE", "--output", at + "/out.tar"},
      {"export", "TREE", "--output", "OUT.tar", "--catalog", at},
      {"mirror", "--version", "1.1.0", "--output", "OUT", "--mirror", at},
      {"mirror", "--version", "1.1.0", "--output", "OUT", "--catalog", at},
      {"mirror", "--version", "1.1.0", "--output", "OUT", "--archive", "torch=" + at},
      {"mirror", "--version", "1.1.0", "--bundle", "OUT.tar", "--mirror", at},
      {"mirror", "--version", "1.1.0", "--bundle", at + "/in.tar", "--mirror", "MIRROR"},
      {"mirror", "--version", "1.1.0", "--bundle", "OUT.tar", "--catalog", at},
      {"mirror", "--version", "1.1.0", "--bundle", "OUT.tar", "--archive", "torch=" + at},
      {"mirror", "verify", at},
      {"mirror", "verify", "LOG", "--catalog", at},
      {"mirror", "unpack", at, "--output", "OUT"},
      {"cache", "list", "--directory", at},
      {"cache", "list", "--catalog", at},
      {"cache", "verify", "--directory", at},
      {"cache", "gc", "--catalog", at},
      {"fetch-commits", "--git-dir", at, "--url", "file:///nowhere"},
      {"patch", "new", "mine", "setup.py", "--version", "1.1.0", "--repository", "torch", "--into", at},
      {"patch", "new", "mine", "setup.py", "--version", "1.1.0", "--repository", "torch", "--into", "TREE", "--mirror",
       at},
      {"patch", "new", "mine", "setup.py", "--version", "1.1.0", "--repository", "torch", "--into", "TREE", "--catalog",
       at},
      {"patch", "new", "mine", "setup.py", "--version", "1.1.0", "--repository", "torch", "--into", "TREE", "--archive",
       "torch=" + at},
      {"patch", "edit", "block-limit", "V1", "--version", "1.1.0", "--mirror", at},
      {"patch", "edit", "block-limit", "V1", "--version", "1.1.0", "--catalog", at},
      {"patch", "edit", "block-limit", "V1", "--version", "1.1.0", "--archive", "torch=" + at},
      {"release", "remove", "1.1.0", "--into", at},
      {"release", "remove", "1.1.0", "--into", "TREE", "--catalog", at},
      {"patch", "remove", "block-limit", "--into", at},
      {"patch", "remove", "block-limit", "--into", "TREE", "--catalog", at},
      {"patch", "refresh", at},
      {"patch", "refresh", "WORK", "--mirror", at},
      {"patch", "refresh", "WORK", "--catalog", at},
      {"patch", "refresh", "WORK", "--archive", "torch=" + at},
      {"patch", "certify", "--into", "OUT", "--mirror", at},
      {"patch", "certify", "--into", "OUT", "--catalog", at},
      {"patch", "certify", "--into", "OUT", "--archive", "torch=" + at},
      {"results", "record", "--into", "OUT", "--mirror", at},
      {"results", "record", "--into", "OUT", "--catalog", at},
      {"results", "record", "--into", "OUT", "--archive", "torch=" + at},
  };
}

/// Options whose directory is made where it is not there.
const std::set<std::string> kMade = {"write-source --output",    "man --directory",       "mirror --output",
                                     "wheel fix-names --output", "prove --record",        "prove --keep",
                                     "patch certify --into",     "results record --into", "audit approve --into",
                                     "mirror unpack --output",   "patch new --work",      "patch edit --work"};

/// Returns "prepare --mirror" or, of an argument, "prepare DIR" for each place of a path.
std::set<std::string> places_of_paths() {
  std::set<std::string> places;
  for (const cli::Command& command : cli::describe_program(cli::command_table())) {
    for (const cli::OptionDescription& option : command.options) {
      const std::set<std::string> kinds = {"DIR", "FILE",  "KEY",        "MANIFEST",       "OUT", "LOG", "A",
                                           "B",   "OTHER", "DIR|SYSTEM", "REPOSITORY=FILE"};
      const std::string place = concat(command.name, " ", option.is_argument ? "" : option.names.back());
      if (kinds.contains(option.metavar)) places.insert(place);
    }
  }
  return places;
}

/// Returns the place that a line is about.
std::string place_of(const Args& line) {
  const auto word = std::ranges::find_if(line, [](const auto& each) { return each.find(kNowhere) != each.npos; });
  REQUIRE(word != line.end());
  const std::string two = line[0] + " " + line[1];
  const auto& commands = cli::command_table();
  const bool has_two = std::ranges::find(commands, two, &cli::Command::name) != commands.end();
  const std::string before = *(word - 1);
  return concat(has_two ? two : line[0], " ", starts_with(before, "--") ? before : "");
}

/// A workspace with one of each thing that commands read.
struct Things : ToyWorkspace {
  Things() {
    upstream.certify();
    write("log", "no error\n");
    keys.run({"ssh-keygen", "-q", "-Y", "sign", "-f", keys.path("alice"), "-n", "torchpatch-audit", path("log")});
    for (const auto& [name, value] : keys.environment()) set_variable(name, value);
    REQUIRE(run({"prepare", "--version", "1.1.0", "--board", "small", "--mirror", upstream.mirror(), "--output",
                 path("tree")})
                .exit_code == 0);
    REQUIRE(run({"patch", "edit", "block-limit", "V1", "--version", "1.1.0", "--mirror", upstream.mirror(), "--work",
                 path("work")})
                .exit_code == 0);
    set_variable("TORCHPATCH_DATA", source_directory());  // the toy has no recipe that a matrix could name
    REQUIRE(run({"matrix", "--versions", "==1.8.1", "--boards", "rpi4", "--emit", "slurm", "--output", path("matrix")})
                .exit_code == 0);
  }

  /// Runs a line of the table; `nowhere` stands for the path that is not there.
  CliResult run_line(const Args& line, const std::string& nowhere) {
    set_variable("TORCHPATCH_DATA", line[0] == "matrix" || line[0] == "wheel" || line[0] == "kernels"
                                        ? source_directory()
                                        : upstream.catalog_directory());
    const std::map<std::string, std::string> things = {
        {"MIRROR", upstream.mirror()}, {"TREE", path("tree")},     {"LOG", path("log")}, {"KEY", keys.path("alice")},
        {"WORK", path("work")},        {"MATRIX", path("matrix")}, {"OUT", path("out")}, {"OUT.tar", path("out.tar")}};
    Args args;
    for (std::string word : line) {
      if (things.contains(word)) word = things.at(word);
      const std::size_t at = word.find(kNowhere);
      if (at != std::string::npos) word.replace(at, kNowhere.size(), nowhere);
      args.push_back(word);
    }
    return run(args);
  }

  SigningKeys keys;
};

}  // namespace

TEST_CASE("every command: a path that is named and is not there ends with exit code 7, the path and a hint") {
  Things things;
  for (const Args& line : lines()) {
    const CliResult result = things.run_line(line, things.path("nowhere"));
    INFO(join(line, " ") << "\n" << result.err);
    CHECK(result.exit_code == 7);
    CHECK(result.out.empty());
    CHECK_THAT(result.err, Catch::Contains("torchpatch: error: ") && Catch::Contains("$TMP/nowhere") &&
                               Catch::Contains("\nhint: "));
    CHECK(!file_exists(things.path("nowhere")));
  }
}

TEST_CASE("every command: each option and argument that takes a path is looked at") {
  std::set<std::string> looked_at = kMade;
  for (const Args& line : lines()) looked_at.insert(place_of(line));
  std::vector<std::string> not_looked_at;
  std::ranges::set_difference(places_of_paths(), looked_at, std::back_inserter(not_looked_at));
  CHECK(not_looked_at == std::vector<std::string>{});
}

}  // namespace torchpatch::test
