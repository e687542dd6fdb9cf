// SPDX-License-Identifier: BSD-3-Clause
// torchpatch.json, and init, which writes it.
#include "cli/project.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>

#include "command/toy_workspace.h"
#include "support/catch.h"
#include "support/schema_writer.h"
#include "support/source_directory.h"
#include "support/text.h"

using namespace torchpatch;
using Catch::Contains;
using test::CliResult;

namespace {

/// A project in $TMP/desk, the working directory, and the toy's mirror as desk/mirrors.
struct Projects : test::ToyWorkspace {
  Projects() {
    upstream.certify();
    make_directories(path("desk"));
    std::filesystem::copy(upstream.mirror(), path("desk/mirrors"), std::filesystem::copy_options::recursive);
    set_place(path("desk"));
  }
  void project(const std::string& members) const {
    write("desk/torchpatch.json", concat("{\n  \"schema\": 1", members.empty() ? "" : ",\n  ", members, "\n}\n"));
  }
  CliResult prepare(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"prepare", "--output", path("out"), "--replace"});
    return run(more);
  }
  /// The manifest without its blanks.
  std::string manifest() const {
    std::string text = read_file(path("out/torchpatch/manifest.json"));
    std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
    return text;
  }
};

const std::string kWhole = R"("version": "1.1.0",
  "board": "small",
  "options": {"components": ["torch"], "without": ["cap"], "set": {"USE_QUIET": "1", "gcc": "6.1"}},
  "mirrors": ["mirrors"])";

}  // namespace

TEST_CASE(
    "project: prepare reads the file of the working directory, prints its name, and records what it resolved to") {
  const Projects workspace;
  workspace.project(kWhole);
  const CliResult result = workspace.prepare();
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  CHECK_THAT(result.err, Contains("project: '$TMP/desk/torchpatch.json'\n"));
  const std::string manifest = workspace.manifest();
  CHECK_THAT(manifest, Contains("\"board\":\"small\",") && Contains("\"components\":[\"torch\"]") &&
                           Contains("\"without_fixes\":[\"cap\"]") && Contains("\"gcc\":\"6.1\""));
  // The same by options, without the file.
  remove_tree(workspace.path("desk/torchpatch.json"));
  const CliResult typed =
      workspace.prepare({"--version", "1.1.0", "--board", "small", "--component", "torch", "--without", "cap", "--set",
                         "USE_QUIET=1", "--set", "gcc=6.1", "--mirror", workspace.path("desk/mirrors")});
  REQUIRE(typed.exit_code == 0);
  CHECK(typed.err.find("project") == std::string::npos);
  CHECK(workspace.manifest() == manifest);
}

TEST_CASE("project: --project names another file, whose directory lists are relative to") {
  const Projects workspace;
  workspace.project(R"("version": "9.9")");
  workspace.write("desk/other.json", concat("{\"schema\": 1, ", kWhole, "}"));
  const CliResult result = workspace.prepare({"--project", workspace.path("desk/other.json")});
  INFO(result.err);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.err, Contains("project: '$TMP/desk/other.json'\n"));
}

TEST_CASE("project: options of the line win") {
  const Projects workspace;
  workspace.project(kWhole);
  REQUIRE(workspace
              .prepare({"--board", "plain", "--set", "gcc=7.5", "--component", "vision", "--mirror",
                        workspace.upstream.mirror()})
              .exit_code == 0);
  CHECK_THAT(workspace.manifest(), Contains("\"board\":\"plain\",") && Contains("\"gcc\":\"7.5\"") &&
                                       Contains("\"USE_QUIET\":\"1\"") && Contains("\"components\":[\"vision\"]"));
  workspace.project(R"("version": "1.1.0", "board": "small", "mirrors": ["gone"])");
  CHECK(workspace.prepare({"--mirror", workspace.upstream.mirror()}).exit_code == 0);
  workspace.project(concat(kWhole, ",\n  \"image\": \"none-of-plain\""));
  CHECK(workspace.prepare({"--board", "plain"}).exit_code == 0);  // an image is one of a board
  CHECK_THAT(workspace.prepare().err, Contains("error: board 'small' has no image 'none-of-plain'"));
}

TEST_CASE("project: what others could have written is not read, with a warning") {
  const Projects workspace;
  workspace.project(kWhole);
  const auto warning = [&] {
    const CliResult result = workspace.prepare();
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, Contains("error: missing: --version VERSION, --board BOARD (or --project FILE, or --locked "
                                    "MANIFEST)"));
    return result.err.substr(0, result.err.find('\n'));
  };
  const std::string lead = "warning: '$TMP/desk/torchpatch.json' is not read: ";
  const std::string end = "; --project $TMP/desk/torchpatch.json reads it";
  chmod(workspace.path("desk/torchpatch.json").c_str(), 0666);
  CHECK(warning() == lead + "other users can change '$TMP/desk/torchpatch.json'" + end);
  chmod(workspace.path("desk/torchpatch.json").c_str(), 0644);
  chmod(workspace.path("desk").c_str(), 01777);  // as /tmp
  CHECK(warning() == lead + "other users can write in '$TMP/desk'" + end);
  chmod(workspace.path("desk").c_str(), 0755);
  std::filesystem::rename(workspace.path("desk/torchpatch.json"), workspace.path("desk/real.json"));
  std::filesystem::create_symlink("real.json", workspace.path("desk/torchpatch.json"));
  CHECK(warning() == lead + "it is not a regular file" + end);
  CHECK(workspace.prepare({"--project", workspace.path("desk/torchpatch.json")}).exit_code == 0);
}

TEST_CASE("project: directories outside its own are refused until they were named on a line") {
  const Projects workspace;
  const std::string mirror = workspace.upstream.mirror();
  std::filesystem::create_symlink(mirror, workspace.path("desk/link"));
  workspace.write("mine/releases/.keep", "");
  const std::string pair = R"("version": "1.1.0", "board": "small", )";
  workspace.project(concat(pair, R"("layers": ["../mine"], "mirrors": ["link"])"));
  const CliResult refused = workspace.prepare();
  CHECK(refused.exit_code == 6);
  CHECK_THAT(refused.err,
             Contains("torchpatch: error: the project '$TMP/desk/torchpatch.json' names directories outside its own: "
                      "--catalog $TMP/desk/../mine --mirror $TMP/desk/link\n"
                      "hint: if you trust them, add these options once; they are remembered for this project\n"));
  CHECK_FALSE(file_exists(workspace.path("out")));
  REQUIRE(workspace.prepare({"--catalog", workspace.path("mine"), "--mirror", workspace.path("desk/link")}).exit_code ==
          0);
  CHECK(workspace.prepare().exit_code == 0);
  workspace.project(concat(pair, R"("mirrors": ["/srv"])"));  // that was not
  CHECK(workspace.prepare().exit_code == 6);
  CHECK(workspace.run({"build", "--output", workspace.path("out-2")}).exit_code == 6);
}

TEST_CASE("project: build and matrix read it, verify, audit and prepare --locked do not") {
  Projects workspace;
  workspace.project(kWhole);
  REQUIRE(workspace.prepare().exit_code == 0);
  const CliResult build = workspace.run({"build", "--output", workspace.path("built"), "--kind", "native"});
  CHECK_THAT(build.err,
             Contains("project: '$TMP/desk/torchpatch.json'\n") && Contains("build of PyTorch 1.1.0 for small"));
  workspace.project("\"unknown\": 1");  // whoever reads it fails
  const std::string out = workspace.path("out");
  CHECK(workspace.run({"verify", out}).exit_code == 0);
  CHECK(workspace.run({"audit", out}).exit_code == 0);
  CHECK(workspace
            .run({"prepare", "--locked", out + "/torchpatch/manifest.json", "--mirror", workspace.upstream.mirror(),
                  "--output", workspace.path("again")})
            .exit_code == 0);
  CHECK(workspace.prepare().exit_code == 3);
  workspace.set_variable("TORCHPATCH_DATA", test::source_directory());
  workspace.project(R"("version": "1.8.1", "board": "rpi4", "image": "debian-11", "mirrors": ["/outside"])");
  const CliResult matrix = workspace.run({"matrix", "--emit", "slurm", "--output", workspace.path("matrix"), "--json"});
  INFO(matrix.err);
  CHECK(matrix.exit_code == 0);
  CHECK_THAT(matrix.out, Contains("\"1.8.1-rpi4-debian-11\""));
  CHECK_THAT(workspace.run({"prepare", "--project", workspace.path("desk/torchpatch.json"), "--locked", "m"}).err,
             Contains("--locked reads everything from the manifest"));
  CHECK(workspace.run({"prepare", "--project", workspace.path("nowhere.json")}).err ==
        "project: '$TMP/nowhere.json'\ntorchpatch: error: --project '$TMP/nowhere.json': there is no such file\n"
        "hint: 'torchpatch init' writes one\n");
}

TEST_CASE("init: writes what the options say, resolved, and never over a file") {
  const Projects workspace;
  const std::string file = workspace.path("desk/torchpatch.json");
  const CliResult asked = workspace.run({"init", "--board", "small"});
  CHECK(asked.exit_code == 2);
  CHECK(asked.err ==
        "torchpatch: error: missing: --version VERSION; init prompts for them only on a terminal\n"
        "hint: pass them: torchpatch init --version VERSION --board BOARD [--image IMAGE] [--mirror DIR]\n");
  const CliResult result =
      workspace.run({"init", "--version", "newest", "--board", "small", "--component", "torch", "--set", "gcc=6.1",
                     "--mirror", workspace.upstream.mirror(), "--output", file});
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  CHECK(result.out == "$TMP/desk/torchpatch.json\n");
  CHECK(read_file(file) == concat(R"({
  "schema": 1,
  "version": "1.1.0",
  "board": "small",
  "image": "one",
  "options": {
    "components": [
      "torch"
    ],
    "set": {
      "gcc": "6.1"
    }
  },
  "mirrors": [
    ")",
                                  workspace.upstream.mirror(), "\"\n  ]\n}\n"));
  CHECK(workspace.prepare().exit_code == 0);  // the mirror was named
  CHECK(workspace.run({"init", "--version", "1.1.0", "--board", "small", "--output", file}).exit_code == 7);
  CHECK(workspace.run({"init", "--version", "1.1.0", "--board", "smal", "--output", workspace.path("x")}).exit_code ==
        2);
  CHECK(workspace.run({"init", "--version", "1.1.0", "--board", "small", "--force", "--output", workspace.path("x")})
            .err ==
        "torchpatch: error: --force, --force-set, --unpatched and --source are options of each command, not of a "
        "project\n"
        "hint: see 'torchpatch init --help'\n");
  CHECK_FALSE(file_exists(workspace.path("x")));
}

TEST_CASE("init: asks on a terminal for board, version and image") {
  Projects workspace;
  workspace.set_terminal();
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  const int kept = ::dup(STDIN_FILENO);
  const std::string answers = "small\n newest \n\n";
  REQUIRE(::write(ends[1], answers.data(), answers.size()) == static_cast<ssize_t>(answers.size()));
  ::close(ends[1]);
  ::dup2(ends[0], STDIN_FILENO);
  const CliResult result = workspace.run({"init", "--output", workspace.path("desk/torchpatch.json")});
  ::dup2(kept, STDIN_FILENO);
  ::close(kept);
  ::close(ends[0]);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.err, Contains("board ('torchpatch list boards'; auto: this one)? "));
  CHECK_THAT(read_file(workspace.path("desk/torchpatch.json")),
             Contains("\"version\": \"1.1.0\",\n  \"board\": \"small\""));
}

TEST_CASE("docs/schema/project.schema.json: is what FIELDS describes") {
  const std::string file = test::source_directory() + "/docs/schema/project.schema.json";
  const std::string generated = canonical_json(
      test::schema_of_format<cli::Project>("torchpatch.json", "What to prepare, build or emit jobs for."), file);
  if (std::getenv("TORCHPATCH_ACCEPT") != nullptr) write_file_atomically(file, generated);
  CHECK(read_file(file) == generated);
}
