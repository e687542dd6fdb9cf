// SPDX-License-Identifier: BSD-3-Clause
#include "record/out_files.h"
#include "support/catch.h"
#include "support/text.h"
#include "unit/report/examples.h"
#include "unit/report/golden.h"
#include "unit/report/out_tree.h"

namespace torchpatch::report {

using namespace record;
namespace {

using test::OutTree;

const std::vector<PlannedStep> kSteps = {{"extension-names",
                                          "plain-names",
                                          false,
                                          {"echo \"step in $PWD with $PYTHON\" >>\"$LOG\"", "cd / # not for long"}}};
const std::vector<std::string> kRecipe = {"echo \"recipe in $PWD\" >>\"$LOG\""};

/// A python3 that notes how it is called, and answers as Python 3.5 with `torch` installed would. setup.py asks git for
/// HEAD.
constexpr const char* kPython = R"sh(#!/bin/sh
case "$1 $2" in
  "-c import sys, torch"*) [ "$3" = "${INSTALLED_TORCH:-}" ] || exit 1; exit 0 ;;
  "-c import sys;"*) [ "$3" = 3.5 ] || exit 1; exit 0 ;;
esac
echo "python3 $* in $PWD" >>"$LOG"
case $* in
  *bdist_wheel*) mkdir -p dist && : >dist/a.whl ;;
esac
case $* in
  setup.py*)
    echo "env USE_NCCL=$USE_NCCL CXXFLAGS=$CXXFLAGS TZ=$TZ MAX_JOBS=$MAX_JOBS" >>"$LOG"
    echo "version ${BUILD_VERSION:-none}" >>"$LOG"
    git rev-parse HEAD >>"$LOG" 2>/dev/null || echo "no HEAD" >>"$LOG"
    ;;
esac
)sh";

struct Site {
  explicit Site(const std::string& name = "out", const std::vector<PlannedStep>& steps = {},
                const std::vector<std::string>& recipe = {}, const std::optional<std::string>& stand_in = {})
      : tree(name) {
    tree.manifest.stand_in = stand_in;
    tree.add("pytorch/setup.py", "");
    tree.add("vision/setup.py", "");
    seal(steps, recipe);
  }

  void seal(const std::vector<PlannedStep>& steps = {}, const std::vector<std::string>& recipe = {}) {
    tree.seal(steps, recipe);
    write_file_atomically(tree.temp() + "/python3", kPython);
    tree.set_mode("../python3", 0755);
    log = tree.temp() + "/log";
  }

  ProgramResult run(const std::vector<std::string>& arguments, test::Variables variables = {},
                    const std::string& shell = "dash") const {
    variables.emplace_back("PATH", tree.temp() + ":/usr/bin:/bin");
    variables.emplace_back("LOG", log);
    variables.emplace_back("MAX_JOBS", "7");
    return tree.run(shell, "build.sh", arguments, variables);
  }
  std::string logged() const { return file_exists(log) ? read_file(log) : ""; }

  OutTree tree;
  std::string log;
};

/// What one run of setup.py logs.
std::string setup(const std::string& root, const std::string& directory, const std::string& arguments) {
  return concat("python3 setup.py ", arguments, " in ", root, "/", directory,
                "\nenv USE_NCCL=0 CXXFLAGS=-mcpu=cortex-a57 -DNAME='it' TZ=UTC MAX_JOBS=7\nversion ",
                directory == "vision" ? "0.3.0" : "none", "\nno HEAD\n");
}

TEST_CASE("build.sh: has the documented form") {
  test::check_golden("build.sh", build_script(test::example_manifest(), kSteps, kRecipe));
}

TEST_CASE("build.sh: shellcheck finds nothing") {
  test::check_with_shellcheck(build_script(test::example_manifest(), kSteps, kRecipe));
  test::check_with_shellcheck(build_script(test::example_manifest(), {}, {}));
  Manifest manifest = test::example_manifest();
  manifest.stand_in = "it's a `sample`";
  test::check_with_shellcheck(build_script(manifest, {}, {}));
}

TEST_CASE("build.sh: builds torch with the environment of the plan") {
  for (const std::string& shell : test::script_shells()) {
    const Site site;
    const ProgramResult result = site.run({"torch"}, {}, shell);
    INFO(shell << "\n" << result.out << result.err);
    CHECK(result.exit_code == 0);
    const std::string& root = site.tree.root();
    CHECK(site.logged() == setup(root, "pytorch", "build") + setup(root, "pytorch", "bdist_wheel"));
  }
}

TEST_CASE("build.sh: runs the recipe before and the steps after the build, and keeps what they did") {
  const Site site("out", kSteps, kRecipe);
  const ProgramResult result = site.run({"torch"});
  INFO(result.err);
  CHECK(result.exit_code == 0);
  const std::string& root = site.tree.root();
  CHECK(site.logged() == "recipe in " + root + "/pytorch\n" + setup(root, "pytorch", "build") + "step in " + root +
                             "/pytorch with python3\n" + setup(root, "pytorch", "bdist_wheel --skip-build"));
}

TEST_CASE("build.sh: builds and installs what a fix adds after the wheel of torch") {
  const std::vector<std::string> commands = {"mkdir -p zynq/dist && cd zynq && : >dist/b.whl", "finish_wheel \"$PWD\""};
  const Site site("out", {{"issue", "fix", true, commands}});
  const ProgramResult result = site.run({"--install", "torch"});
  INFO(result.err);
  CHECK(result.exit_code == 0);
  const std::string torch = site.tree.root() + "/pytorch",
                    install = "python3 -m pip install --no-deps --force-reinstall ";
  CHECK(site.logged() == setup(site.tree.root(), "pytorch", "build") +
                             setup(site.tree.root(), "pytorch", "bdist_wheel") + install + torch + "/dist/a.whl in " +
                             torch + "\n" + install + torch + "/zynq/dist/b.whl in " + torch + "/zynq\n");
}

TEST_CASE("build.sh: stops at the first step that fails") {
  const Site site("out", {{"issue", "fix", false, {"false", "true"}}});
  CHECK(site.run({"torch"}).exit_code == 1);
  CHECK(site.logged() == setup(site.tree.root(), "pytorch", "build"));
}

TEST_CASE("build.sh: builds vision against the torch that is installed") {
  const Site site;
  const ProgramResult none = site.run({});
  CHECK(none.exit_code == 1);
  CHECK_THAT(none.err, Catch::Contains("error: vision needs torch installed: 'python3' -m pip install '" +
                                       site.tree.root() + "'/pytorch/dist/torch-*.whl; then build.sh vision\n"));
  const std::string built = site.logged();
  const ProgramResult result = site.run({"vision"}, {{"INSTALLED_TORCH", "1.1.0"}});
  INFO(result.err);
  CHECK(result.exit_code == 0);
  CHECK(site.logged() == built + setup(site.tree.root(), "vision", "bdist_wheel"));
}

TEST_CASE("build.sh: installs each wheel with --install") {
  const Site site;
  const ProgramResult result = site.run({"--install"}, {{"INSTALLED_TORCH", "1.1.0"}});
  INFO(result.err);
  CHECK(result.exit_code == 0);
  const std::string& root = site.tree.root();
  const auto install = [&root](const std::string& directory) {
    return concat("python3 -m pip install --no-deps --force-reinstall ", root, "/", directory, "/dist/a.whl in ", root,
                  "/", directory, "\n");
  };
  CHECK(site.logged() == setup(root, "pytorch", "build") + setup(root, "pytorch", "bdist_wheel") + install("pytorch") +
                             setup(root, "vision", "bdist_wheel") + install("vision"));
}

TEST_CASE("build.sh: your environment wins only if you say so") {
  const Site site;
  CHECK(site.run({"torch"}, {{"USE_NCCL", "1"}, {"CXXFLAGS", "it's $mine"}}).exit_code == 0);
  CHECK_THAT(site.logged(), Catch::Contains("env USE_NCCL=0 "));
  for (const std::string& shell : test::script_shells()) {
    INFO(shell);
    const Site kept;
    CHECK(kept.run({"torch"}, {{"CXXFLAGS", "it's $mine"}, {"TORCHPATCH_KEEP_ENV", "1"}}, shell).exit_code == 0);
    CHECK_THAT(kept.logged(), Catch::Contains("env USE_NCCL=0 CXXFLAGS=it's $mine TZ=UTC MAX_JOBS=7\n"));
  }
}

/// Adds audio, whose build gets `settings`.
void add_audio(Site& site, const std::vector<PlannedSetting>& settings) {
  site.tree.manifest.components.push_back(Component::audio);
  for (const PlannedSetting& setting : settings) site.tree.manifest.environment.push_back(setting);
  site.tree.add("audio/setup.py", "");
  site.seal();
}

std::vector<std::string> logged_versions(const Site& site) {
  std::vector<std::string> versions;
  for (const std::string& line : split(site.logged(), '\n'))
    if (starts_with(line, "version ")) versions.push_back(line.substr(8));
  return versions;
}

TEST_CASE("build.sh: what one component's build gets does not reach the next one's") {
  using Versions = std::vector<std::string>;
  const PlannedSetting own = {"BUILD_VERSION", "it's $audio", "release 1.1.0", "", "", Component::audio};
  const auto versions_of = [](const std::string& shell, const std::vector<PlannedSetting>& audio,
                              test::Variables variables) {
    Site site;
    add_audio(site, audio);
    variables.emplace_back("INSTALLED_TORCH", "1.1.0");
    CHECK(site.run({}, variables, shell).exit_code == 0);
    return logged_versions(site);
  };
  for (const std::string& shell : test::script_shells()) {
    INFO(shell);
    CHECK(versions_of(shell, {own}, {}) == Versions{"none", "none", "0.3.0", "it's $audio"});
    CHECK(versions_of(shell, {}, {{"BUILD_VERSION", "mine"}}) == Versions{"mine", "mine", "0.3.0", "mine"});
    CHECK(versions_of(shell, {own}, {{"BUILD_VERSION", "mine"}, {"TORCHPATCH_KEEP_ENV", "1"}}) ==
          Versions{"mine", "mine", "mine", "mine"});
  }
}

TEST_CASE("build.sh: a repository that lies around the tree does not answer for it") {
  const Site site;
  const test::Variables git = {{"PATH", "/usr/bin:/bin"},     {"HOME", site.tree.temp()},  {"GIT_CONFIG_NOSYSTEM", "1"},
                               {"GIT_AUTHOR_NAME", "a"},      {"GIT_AUTHOR_EMAIL", "a@b"}, {"GIT_COMMITTER_NAME", "a"},
                               {"GIT_COMMITTER_EMAIL", "a@b"}};
  for (const std::string& directory : {site.tree.temp(), site.tree.root()}) {
    const auto run = [&](const std::vector<std::string>& argv) {
      return run_program({argv, git, directory, std::chrono::seconds(60)});
    };
    REQUIRE(run({"git", "init", "-q"}).exit_code == 0);
    REQUIRE(run({"git", "commit", "-q", "--allow-empty", "-m", "x"}).exit_code == 0);
    REQUIRE(run({"git", "rev-parse", "HEAD"}).exit_code == 0);
  }
  CHECK(site.run({"torch"}).exit_code == 0);
  CHECK(site.run({"torch"}, {{"GIT_DIR", site.tree.temp() + "/.git"}}).exit_code == 0);
  const std::string twice =
      setup(site.tree.root(), "pytorch", "build") + setup(site.tree.root(), "pytorch", "bdist_wheel");
  CHECK(site.logged() == twice + twice);
}

TEST_CASE("build.sh: works in a place with an odd name, but for a colon") {
  for (const std::string& shell : test::script_shells()) {
    for (const std::string name : {"a b", "it's \"$HOME\" `x`", "new\nline\n", "-n", "back\\slash"}) {
      INFO(shell << ": " << quote(name));
      const Site site(name);
      const ProgramResult result = site.run({"torch"}, {{"CDPATH", "/"}}, shell);
      INFO(result.err);
      CHECK(result.exit_code == 0);
      CHECK_THAT(site.logged(), Catch::Contains("no HEAD"));
    }
    const Site site("a:b");
    const ProgramResult result = site.run({"torch"}, {}, shell);
    CHECK(result.exit_code == 1);
    CHECK(result.err == "build.sh: error: the path '" + site.tree.root() +
                            "' has a colon, which GIT_CEILING_DIRECTORIES cannot hold: move the tree\n");
    CHECK(site.logged().empty());
  }
}

TEST_CASE("build.sh: works by a relative name, whatever CDPATH says") {
  const Site site("-n");
  make_directories(site.tree.temp() + "/elsewhere/-n/torchpatch");
  const ProgramResult result = run_program(
      {{"dash", "--", "-n/torchpatch/build.sh", "torch"},
       {{"PATH", site.tree.temp() + ":/usr/bin:/bin"}, {"LOG", site.log}, {"CDPATH", site.tree.temp() + "/elsewhere"}},
       site.tree.temp(),
       std::chrono::seconds(60)});
  INFO(result.err);
  CHECK(result.exit_code == 0);
}

TEST_CASE("build.sh: does not build what only stands in for PyTorch") {
  const Site site("out", {}, {}, "made-up sources; it's a\nsample");
  const ProgramResult result = site.run({});
  CHECK(result.exit_code == 1);
  CHECK(result.err == "build.sh: error: nothing to build, this is not PyTorch: made-up sources; it's a sample\n");
  CHECK(site.logged().empty());
}

TEST_CASE("build.sh: refuses another Python than the one it was prepared for") {
  const Site site;
  write_file_atomically(site.tree.temp() + "/python3.9",
                        "#!/bin/sh\ncase $1 in -c) exit 1 ;; esac\nexec python3 \"$@\"\n");
  site.tree.set_mode("../python3.9", 0755);
  const ProgramResult result = site.run({"torch"}, {{"PYTHON", "python3.9"}});
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.err, Catch::StartsWith("build.sh: error: 'python3.9' is not Python 3.5"));
  CHECK(site.run({"torch"}, {{"PYTHON", "python3.9"}, {"TORCHPATCH_ANY_PYTHON", "1"}}).exit_code == 0);
  // A path is the caller's, wherever the script works.
  CHECK(site.tree
            .run("dash", "build.sh", {"torch"}, {{"PYTHON", "./python3"}, {"PATH", "/usr/bin:/bin"}, {"LOG", site.log}},
                 site.tree.temp())
            .exit_code == 0);
  const ProgramResult absent = site.run({"torch"}, {{"PYTHON", "python3.0"}});
  CHECK(absent.err == "build.sh: error: there is no 'python3.0' here: set PYTHON to a Python 3.5\n");
}

TEST_CASE("build.sh: names what it can build") {
  const Site site;
  CHECK(site.run({"audio"}).err == "build.sh: error: this tree does not hold audio, only: torch vision \n");
  CHECK(site.run({"everything"}).exit_code == 2);
  CHECK(site.run({"--help"}).exit_code == 0);
  CHECK(site.logged().empty());
}

}  // namespace
}  // namespace torchpatch::report
