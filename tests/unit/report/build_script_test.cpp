// SPDX-License-Identifier: BSD-3-Clause
#include <sys/stat.h>
#include <unistd.h>

#include "record/tree_scripts.h"

#include <algorithm>
#include <map>
#include <set>

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

/// A python3 that notes how it is called, and answers as a Python with `torch` installed, or unpacked, would. setup.py
/// asks git for HEAD.
constexpr const char* kPython = R"sh(#!/bin/sh
case "$1 $2" in
  "-c import sys, torch"*) [ -n "${PYTHONPATH:-}" ] || [ "$3" = "${INSTALLED_TORCH:-}" ] || exit 1; exit 0 ;;
esac
printf '%s\n' "python3 $* in $PWD" >>"$LOG"
[ "${BROKEN:-}" != "${PWD##*/} $2" ] && [ "${BROKEN:-}" != "/ $1" ] || { echo "it is broken" >&2; exit 3; }
case $* in
  *bdist_wheel* | *'--wheel'*)
    case $* in *--outdir*) exit ;; esac
    mkdir -p dist
    case $PWD in */pytorch) : >dist/torch-1.whl ;; *) : >"dist/torch${PWD##*/}-1.whl" ;; esac
    ;;
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

/// What torch:build logs: it configures, and compiles where that came out as planned.
std::string built(const std::string& root) { return setup(root, "pytorch", "build") + setup(root, "pytorch", "build"); }

/// What the unpacking of torch's wheel logs, for the build of a companion.
std::string unpack(const std::string& root) {
  return concat("python3 -m zipfile -e ", root, "/dist/torch-1.whl ", root, "/pytorch/build/torchpatch-site in ", root,
                "\n");
}

/// An unshare that notes for which command it was to make a namespace.
void fake_unshare(const Site& site, const std::string& answer) {
  site.tree.write("../unshare", concat("#!/bin/sh\n", answer,
                                       "\nshift\n[ $1 = true ] || echo \"boxed $*\" >>\"$LOG\"\n"
                                       "exec \"$@\"\n"));
  site.tree.set_mode("../unshare", 0755);
}

/// Programs that make swap, and note it; `id` says who asks.
void fake_swap(const Site& site, const std::string& id, const std::string& swapon = "") {
  for (const auto& [name, line] :
       std::map<std::string, std::string>{{"id", "echo " + id},
                                          {"mkswap", "echo \"mkswap $(wc -c <\"$1\")\" >>\"$LOG\""},
                                          {"swapon", "echo swapon >>\"$LOG\"; " + swapon},
                                          {"swapoff", "[ ! -e \"$1\" ] || echo swapoff >>\"$LOG\""}}) {
    site.tree.write("../" + name, "#!/bin/sh\n" + line + "\n");
    site.tree.set_mode("../" + name, 0755);
  }
}

TEST_CASE("build.sh: has the documented form") {
  test::check_golden("build.sh", build_script(test::example_manifest(), kSteps, kRecipe, test::example_requirements()));
}

TEST_CASE("build.sh: shellcheck finds nothing") {
  test::check_with_shellcheck(build_script(test::example_manifest(), kSteps, kRecipe, test::example_requirements()));
  test::check_with_shellcheck(build_script(test::example_manifest(), {}, {}, {}));
  test::check_with_shellcheck(build_script(test::example_manifest(), kSteps, {}, {}, {Component::torch}));
  Manifest manifest = test::example_manifest();
  manifest.stand_in = "it's a `sample`";
  test::check_with_shellcheck(build_script(manifest, {}, {}, {}));
}

TEST_CASE("build.sh: builds torch with the environment of the plan") {
  for (const std::string& shell : test::script_shells()) {
    const Site site;
    const ProgramResult result = site.run({"torch"}, {}, shell);
    INFO(shell << "\n" << result.out << result.err);
    CHECK(result.exit_code == 0);
    const std::string& root = site.tree.root();
    CHECK(site.logged() == built(root) + setup(root, "pytorch", "bdist_wheel"));
  }
}

TEST_CASE("build.sh: runs the recipe before and the steps after the build, and keeps what they did") {
  const Site site("out", kSteps, kRecipe);
  const ProgramResult result = site.run({"torch"});
  INFO(result.err);
  CHECK(result.exit_code == 0);
  const std::string& root = site.tree.root();
  CHECK(site.logged() == "recipe in " + root + "/pytorch\n" + built(root) + "step in " + root +
                             "/pytorch with python3\n" + setup(root, "pytorch", "bdist_wheel --skip-build"));
}

TEST_CASE("build.sh: builds and installs what a fix adds after the wheel of torch") {
  const std::vector<std::string> commands = {"mkdir -p zynq/dist && cd zynq && : >dist/b.whl", "finish_wheel \"$PWD\""};
  const Site site("out", {{"issue", "fix", true, commands}});
  const ProgramResult result = site.run({"--install", "torch"});
  INFO(result.out << result.err);
  CHECK(result.exit_code == 0);
  const std::string& root = site.tree.root();
  const std::string install =
      concat("python3 -m pip install --no-index --no-deps --upgrade --force-reinstall ", root, "/dist/");
  CHECK(site.logged() == built(root) + setup(root, "pytorch", "bdist_wheel") + install + "torch-1.whl in /\n" +
                             install + "b.whl in /\n");
}

TEST_CASE(
    "build.sh: calls the front end of each component, and steps between compiling and packing keep what they did") {
  const std::string call = "python3 -m build --wheel --no-isolation --skip-dependency-check";
  const std::string skip_install = " --config-setting=install.components=none", at = " in ";
  const std::string skip_compile = " --config-setting=build.tool-args=--version";
  for (const std::string& shell : test::script_shells()) {
    for (const bool has_steps : {false, true}) {
      Site site;
      site.tree.scikit_build = {Component::torch};
      site.seal(has_steps ? kSteps : std::vector<PlannedStep>{});
      const std::string& root = site.tree.root();
      const std::string place = at + root + "/pytorch\n";
      const ProgramResult result = site.run({}, {}, shell);
      INFO(shell << result.out << result.err);
      CHECK(result.exit_code == 0);
      std::string log = site.logged();
      // The wheels that nobody needs go into a directory with a name of its own.
      for (std::size_t start = 0; (start = log.find(" --outdir ", start)) != std::string::npos;)
        log.erase(start, log.find(" --config", start) - start);
      const std::string step = has_steps ? "step in " + root + "/pytorch with python3\n" : "";
      CHECK(log == call + skip_install + skip_compile + place + call + skip_install + place + step + call +
                       (has_steps ? skip_compile : "") + place + unpack(root) + setup(root, "vision", "bdist_wheel"));
      CHECK(file_exists(root + "/dist/torch-1.whl"));
    }
  }
}

TEST_CASE("build.sh: stops at the first step that fails, whose log is kept") {
  const Site site("out", {{"issue", "fix", false, {"echo it broke", "false", "true"}}});
  const ProgramResult result = site.run({"torch"});
  CHECK(result.exit_code == 1);
  const std::string log = site.tree.root() + "/dist/torch.log";
  CHECK(result.err == "build.sh: error: torch:wheel failed; see its log: " + log + "\n");
  CHECK(site.logged() == built(site.tree.root()));
  CHECK_THAT(read_file(log), Catch::EndsWith("\nit broke\n"));
  CHECK_THAT(result.out, Catch::EndsWith(read_file(log)));
}

TEST_CASE("build.sh: asks torchpatch, if it is available, which known issue this run's log tells of") {
  const Site site("out", {{"issue", "fix", false, {"echo it broke", "false"}}});
  write_file_atomically(site.tree.temp() + "/torchpatch", "#!/bin/sh\necho \"$*\" >&2\ngrep -c broke >&2\n");
  site.tree.set_mode("../torchpatch", 0755);
  CHECK(site.run({"torch"}).exit_code == 1);
  const ProgramResult again = site.run({"torch"});
  CHECK(again.exit_code == 1);
  CHECK_THAT(again.err, Catch::StartsWith(concat("diagnose --tree ", site.tree.root(), "\n1\nbuild.sh: error: ")));
}

TEST_CASE("build.sh: builds vision against the torch just built, which it unpacks and does not install") {
  for (const std::string& shell : test::script_shells()) {
    const Site site;
    const std::string& root = site.tree.root();
    const ProgramResult result = site.run({}, {}, shell);
    INFO(shell << result.out << result.err);
    CHECK(result.exit_code == 0);
    CHECK(site.logged() ==
          built(root) + setup(root, "pytorch", "bdist_wheel") + unpack(root) + setup(root, "vision", "bdist_wheel"));
    for (const char* name : {"torch-1.whl", "torchvision-1.whl", "torch.log", "vision.log"})
      CHECK(file_exists(root + "/dist/" + name));
  }
}

TEST_CASE("build.sh: stops where the CMake of a cross build decided what the board does not") {
  Site site;
  site.tree.write("../answers", "# known\nany BLAS_WORKS 1\nany AT_DOT 1\narmv7l NEON_FOUND 1\naarch64 NEON_FOUND 0\n");
  const auto build = [&](const std::string& cache, const std::string& config, const std::string& shell) {
    site.tree.write("pytorch/build/CMakeCache.txt", cache);
    site.tree.write("pytorch/aten/src/ATen/Config.h", config);
    return site.run({"torch:build"}, {{"TORCHPATCH_ANSWERS", site.tree.temp() + "/answers"}}, shell);
  };
  site.tree.write("../cc", "#!/bin/sh\necho aarch64-linux-gnu\n");
  site.tree.set_mode("../cc", 0755);
  const std::string with_blas = "#define AT_BUILD_WITH_BLAS() 1\n#define AT_DOT() ";
  for (const std::string& shell : test::script_shells()) {
    INFO(shell);
    const ProgramResult right = build("BLAS_WORKS:INTERNAL=1\nNEON_FOUND:BOOL=false\n", with_blas + "1\n", shell);
    CHECK(right.exit_code == 0);
    CHECK(right.out.find("CMake") == std::string::npos);
    CHECK(build("BLAS_WORKS:INTERNAL=1\n", "#define AT_BUILD_WITH_BLAS() 0\n#define AT_DOT() 0\n", shell).exit_code ==
          0);
    const ProgramResult wrong = build("BLAS_WORKS:INTERNAL=\n", with_blas + "1\n", shell);
    CHECK(wrong.exit_code == 1);
    CHECK_THAT(wrong.out, Catch::Contains("CMake decided BLAS_WORKS=, but the board decides BLAS_WORKS=1"));
    CHECK(build("NEON_FOUND:BOOL=TRUE\n", "", shell).exit_code == 1);
    CHECK_THAT(build("", with_blas + "0\n", shell).out, Catch::Contains("decided AT_DOT=0"));
    const ProgramResult unknown = build("NEW_CHECK_EXITCODE:INTERNAL=FAILED_TO_RUN\n", "", shell);
    CHECK(unknown.exit_code == 0);
    CHECK_THAT(unknown.out, Catch::Contains("CMake tried to run programs for unknown checks: NEW_CHECK"));
  }
}

TEST_CASE("build.sh: stops where CMake decided otherwise than the plan, above all without the board's CUDA") {
  Site site;
  site.tree.manifest.target = {{"cuda", "10.2"}, {"compute_capability", "6.2"}, {"cudnn", "8.2"}};
  site.seal();
  const auto build = [&](const std::string& cache, const std::string& macros, const std::string& shell,
                         const test::Variables& variables = {}) {
    site.tree.write("pytorch/build/CMakeCache.txt", cache);
    site.tree.write("pytorch/build/caffe2/core/macros.h", macros);
    return site.run({"torch:build"}, variables, shell);
  };
  const auto macro = [](const std::string& name, const std::string& value) {
    return concat("#define CAFFE2_BUILD_STRINGS { \\\n  {\"BLAS_INFO\", \"open\"}, \\\n  {\"", name, "\", \"", value,
                  "\"}, \\\n}\n");
  };
  for (const std::string& shell : test::script_shells()) {
    INFO(shell);
    CHECK(build("USE_CUDA:BOOL=ON\nUSE_NCCL:BOOL=0\n", macro("USE_CUDA", "1"), shell).exit_code == 0);
    const std::string before = site.logged();
    const ProgramResult without = build("USE_CUDA:BOOL=OFF\n", "", shell);
    CHECK(site.logged() == before + setup(site.tree.root(), "pytorch", "build"));  // configured, not compiled
    CHECK(without.exit_code == 1);
    CHECK_THAT(without.out, Catch::Contains("CMake decided USE_CUDA=OFF, but the plan has USE_CUDA=1 "
                                            "(torchpatch/KNOWN_ISSUES.md#cuda-toolkit-not-found)"));
    CHECK(build("", macro("USE_CUDA", "0"), shell).exit_code == 1);
    CHECK(build("", macro("USE_CUDNN", "OFF"), shell).exit_code == 1);
    CHECK(build("", macro("USE_CUDNN", ""), shell).exit_code == 0);
    CHECK(build("USE_CUDA:BOOL=OFF\n", "", shell, {{"TORCHPATCH_KEEP_ENV", "1"}, {"USE_CUDA", "0"}}).exit_code == 1);
  }
}

TEST_CASE("build.sh: computes with the torch that was built, and fails where that is wrong") {
  for (const std::string& shell : test::script_shells()) {
    const Site site;
    const std::string& root = site.tree.root();
    const std::string numerics = concat("python3 ", root, "/torchpatch/numerics.py --json ", root,
                                        "/dist/numerics.json --html ", root, "/dist/numerics.html in /\n");
    CHECK(site.run({"--test", "torch"}, {}, shell).exit_code == 0);
    CHECK(site.logged() == built(root) + setup(root, "pytorch", "bdist_wheel") + unpack(root) + numerics);
    const ProgramResult wrong =
        site.run({"torch:test"}, {{"BROKEN", concat("/ ", root, "/torchpatch/numerics.py")}}, shell);
    CHECK(wrong.exit_code == 1);
    CHECK_THAT(
        wrong.out,
        Catch::Contains(
            "build.sh: error: torch cannot be imported or computes wrong results; see the messages above and " + root));
    const ProgramResult cross = site.run({"torch:test"}, {{"CMAKE_TOOLCHAIN_FILE", "x.cmake"}}, shell);
    CHECK(cross.exit_code == 1);
    CHECK_THAT(cross.out, Catch::Contains("torch:test: this torch is not for this machine"));
  }
}

TEST_CASE("build.sh: builds vision against a torch that is installed, if it is the right one") {
  const Site site;
  const ProgramResult none = site.run({"vision"});
  CHECK(none.exit_code == 1);
  CHECK_THAT(none.out, Catch::Contains("build.sh: error: vision needs torch 1.1.0: build it first "
                                       "('build.sh torch') or install it\n"));
  const ProgramResult result = site.run({"vision"}, {{"INSTALLED_TORCH", "1.1.0"}});
  INFO(result.out << result.err);
  CHECK(result.exit_code == 0);
  CHECK(site.logged() == setup(site.tree.root(), "vision", "bdist_wheel"));
}

TEST_CASE("build.sh: what stands in the place of its lock or log is refused, and neither waited for nor followed") {
  for (const std::string name : {"lock", "torch.log"}) {
    const Site site;
    make_directories(site.tree.root() + "/dist");
    REQUIRE(mkfifo((site.tree.root() + "/dist/" + name).c_str(), 0600) == 0);
    const ProgramResult result = site.run({"torch"});
    CHECK(result.exit_code == 1);
    CHECK_THAT(result.err, Catch::Contains("/dist/" + name + "' is not a file: remove it"));
  }
  const Site site;
  site.tree.write("../precious", "precious\n");
  make_directories(site.tree.root() + "/dist");
  REQUIRE(symlink("../../precious", (site.tree.root() + "/dist/torch.log").c_str()) == 0);
  CHECK(site.run({"torch"}).exit_code == 1);
  CHECK(read_file(site.tree.temp() + "/precious") == "precious\n");
}

TEST_CASE("build.sh: without a tool that the checks need nothing is built") {
  const Site site;
  for (const char* const tool : {"awk", "grep", "mktemp", "rm", "sed", "tee", "mkdir", "id"})
    site.tree.write(concat("../few/", tool),
                    concat("#!/bin/sh\nexec /usr/bin/env -i PATH=/usr/bin:/bin ", tool, " \"$@\"\n"));
  for (const std::string& tool : list_directory(site.tree.temp() + "/few")) site.tree.set_mode("../few/" + tool, 0755);
  const ProgramResult result = site.tree.run(
      "dash", "build.sh", {}, {{"PATH", site.tree.temp() + "/few"}, {"LOG", site.log}, {"MAX_JOBS", "7"}});
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.err, Catch::Contains("'cat' not found"));
  CHECK(site.logged().empty());
}

TEST_CASE("build.sh: TORCHPATCH_KEEP_ENV leaves the options of bash alone") {
  const Site site;
  const ProgramResult result =
      site.run({"torch"}, {{"SHELLOPTS", "braceexpand"}, {"TORCHPATCH_KEEP_ENV", "1"}}, "bash");
  INFO(result.err);
  CHECK(result.exit_code == 0);
}

TEST_CASE("build.sh: a backslash in a path is a backslash") {
  const Site site("a\\tb\\c");
  CHECK(site.run({}).exit_code == 0);
  CHECK_THAT(site.logged(), Catch::Contains(unpack(site.tree.root())));
}

TEST_CASE("build.sh: an interrupted run goes on where it was, and a step can be run again alone") {
  const Site site("out", kSteps);
  const std::string& root = site.tree.root();
  CHECK(site.run({}, {{"BROKEN", "vision bdist_wheel"}}).exit_code == 1);
  const std::string before = site.logged();
  const ProgramResult rest = site.run({});
  INFO(rest.out << rest.err);
  CHECK(rest.exit_code == 0);
  CHECK_THAT(rest.err, Catch::Contains("dist/torch-1.whl exists; 'build.sh torch' builds it again\n"));
  CHECK(site.logged() == before + unpack(root) + setup(root, "vision", "bdist_wheel"));
  const std::string whole = site.logged();
  CHECK(site.run({}).exit_code == 0);  // nothing is left to do
  CHECK(site.logged() == whole);
  CHECK(site.run({"torch:wheel"}).exit_code == 0);
  CHECK(site.logged() ==
        whole + "step in " + root + "/pytorch with python3\n" + setup(root, "pytorch", "bdist_wheel --skip-build"));
}

TEST_CASE("build.sh: installs each wheel with --install") {
  const Site site;
  const ProgramResult result = site.run({"--install"});
  CHECK(result.exit_code == 0);
  const std::string& root = site.tree.root();
  const auto install = [&root](const std::string& wheel) {
    return concat("python3 -m pip install --no-index --no-deps --upgrade --force-reinstall ", root, "/dist/", wheel,
                  " in /\n");
  };
  CHECK(site.logged() == built(root) + setup(root, "pytorch", "bdist_wheel") + install("torch-1.whl") + unpack(root) +
                             setup(root, "vision", "bdist_wheel") + install("torchvision-1.whl"));
}

/// The lines of the log about commands and namespaces.
std::vector<std::string> commands_of(const Site& site) {
  std::vector<std::string> commands;
  for (const std::string& line : split(site.logged(), '\n'))
    if (starts_with(line, "boxed ") || starts_with(line, "python3 setup.py"))
      commands.push_back(line.substr(0, std::min(line.find(" in /"), line.find(" -c "))));
  return commands;
}

TEST_CASE("build.sh: builds without a network where it can") {
  using Commands = std::vector<std::string>;
  const Commands boxed = {"boxed sh",
                          "python3 setup.py build",
                          "boxed python3 setup.py build",
                          "python3 setup.py build",
                          "boxed python3 setup.py bdist_wheel",
                          "python3 setup.py bdist_wheel"};
  const Commands open = {"python3 setup.py build", "python3 setup.py build", "python3 setup.py bdist_wheel"};
  const auto commands = [](const std::string& unshare, std::vector<std::string> options,
                           const test::Variables& variables = {}, const std::string& release = "1.1.0") {
    Site site;
    site.tree.manifest.release = release;
    site.seal();
    fake_unshare(site, unshare);
    options.emplace_back("torch");
    CHECK(site.run(options, variables).exit_code == 0);
    return commands_of(site);
  };
  CHECK(commands("", {}) == boxed);
  CHECK(commands("[ $1 = -rn ] || exit 1", {"--offline"}) == boxed);
  CHECK(commands("exit 1", {}) == open);
  CHECK(commands("", {"--online"}) == open);
  CHECK(commands("", {}, {{"DISTCC_HOSTS", "a b"}}, "1.2.0") ==
        Commands{"boxed python3 setup.py build --cmake-only", "python3 setup.py build --cmake-only",
                 "python3 setup.py build", "python3 setup.py bdist_wheel"});
  CHECK(commands("", {}, {{"DISTCC_HOSTS", "a b"}}) ==
        Commands{"boxed sh", "python3 setup.py build", "python3 setup.py build", "python3 setup.py bdist_wheel"});
  const Site site;
  fake_unshare(site, "exit 1");
  const ProgramResult refused = site.run({"--offline"});
  CHECK(refused.exit_code == 1);
  CHECK(refused.err ==
        "build.sh: error: --offline: cannot create a network namespace with 'unshare -n' or 'unshare -rn'\n");
}

TEST_CASE("build.sh: configures torch and compiles nothing") {
  Site site;
  site.tree.manifest.release = "1.2.0";
  site.seal(kSteps, kRecipe);
  CHECK(site.run({"torch:configure"}).exit_code == 0);
  CHECK(site.logged() == setup(site.tree.root(), "pytorch", "build --cmake-only"));
}

/// A setup.py of 1.0 or 1.1, which calls `calls`; cmake and ninja note that they were called, and that cmake finds
/// ninja.
void fake_setup(const Site& site, const std::string& calls) {
  site.tree.write("../python3", concat("#!/bin/sh\nset -e\n", calls, "\n"));
  site.tree.write("../cmake", "#!/bin/sh\necho \"cmake $*\" >>\"$LOG\"\nninja --version\n");
  site.tree.write("../ninja", "#!/bin/sh\necho \"ninja $*\" >>\"$LOG\"\n");
  for (const char* name : {"../python3", "../cmake", "../ninja"}) site.tree.set_mode(name, 0755);
}

TEST_CASE("build.sh: stops a setup.py of 1.0 and 1.1 where it would compile") {
  for (const std::string& shell : test::script_shells()) {
    const Site site;
    fake_setup(site, "cmake ..; ninja install; echo compiled >>\"$LOG\"");
    const ProgramResult result = site.run({"torch:configure"}, {}, shell);
    INFO(result.out << result.err);
    CHECK(result.exit_code == 0);
    CHECK(site.logged() == "cmake ..\nninja --version\n");
    CHECK_THAT(result.out, Catch::Contains("torch is configured: setup.py was stopped before compiling\n"));
  }
  const Site broken;
  fake_setup(broken, "cmake ..; exit 1; ninja install");
  CHECK(broken.run({"torch:configure"}).exit_code == 1);
}

TEST_CASE("build.sh: makes swap on request and takes it away, whatever happens") {
  for (const std::string& shell : test::script_shells()) {
    const Site site;
    const std::string& root = site.tree.root();
    const std::string made = "mkswap 2097152\nswapon\n";
    fake_swap(site, "0");
    CHECK(site.run({"--swap", "2", "torch"}, {}, shell).exit_code == 0);
    CHECK(site.logged() == made + built(root) + setup(root, "pytorch", "bdist_wheel") + "swapoff\n");
    CHECK_FALSE(file_exists(root + "/dist/swap"));
    const std::string before = site.logged();
    CHECK(site.run({"--swap", "2:my swap", "torch:build"}, {{"BROKEN", "pytorch build"}}, shell).exit_code == 1);
    CHECK(site.logged() == before + made + "python3 setup.py build in " + root + "/pytorch\nswapoff\n");
    // Killed with what it runs: the children of the shell get the signal, too.
    const std::string python = "#!/bin/sh\ncase $1 in setup.py) kill -TERM \"$PPID\" 0 ;; esac\n";
    site.tree.write("../python3", python);
    write_file_atomically(site.log, "");
    CHECK(site.run({"--swap", "2", "torch:build"}, {}, "setsid -w " + shell).exit_code != 0);
    CHECK(site.logged() == made + "swapoff\n");
    CHECK_FALSE(file_exists(root + "/dist/swap"));
  }
}

TEST_CASE("build.sh: refuses swap that cannot be made") {
  const Site site;
  const std::string& root = site.tree.root();
  const auto error = [&](const std::vector<std::string>& arguments) {
    const ProgramResult result = site.run(arguments);
    CHECK(result.exit_code == (starts_with(arguments[1], "x") ? 2 : 1));
    return result.err.substr(result.err.rfind("build.sh: error: ") + 17);
  };
  fake_swap(site, "1000");
  CHECK(error({"--swap", "2"}) == "--swap needs root\n");
  fake_swap(site, "0", "exit 1");
  CHECK(error({"--swap", "2"}) == "--swap: the system cannot use '" + root +
                                      "/dist/swap' as swap: use a file on ext4 or XFS, not in a container\n");
  CHECK_FALSE(file_exists(root + "/dist/swap"));
  CHECK(error({"--swap", "2:" + root + "/vision/setup.py"}) ==
        "--swap: '" + root + "/vision/setup.py' already exists\n");
  CHECK(file_exists(root + "/vision/setup.py"));
  CHECK(error({"--swap", "2:/nowhere/swap"}) == "--swap: no room for 2 MiB in '/nowhere'\n");
  CHECK(error({"--swap", "x2"}) == "--swap: 'x2' is not MIB or MIB:FILE; see --help\n");
  CHECK_THAT(site.logged(), !Catch::Contains("python3"));
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

/// The names of all variables that a script assigns.
std::vector<std::string> own_variables(const std::string& file) {
  const ProgramResult found = run_program(
      {{"grep", "-oE", R"((^|[ ;({"$])[a-z][a-z0-9_]*=|for [a-z_]+ in|read -r [a-z ]+)", file}, {}, "", {}});
  std::set<std::string> names;
  for (const std::string& line : split(found.out, '\n'))
    for (const std::string& word : split(line, ' ')) {
      const std::size_t begin = word.find_first_of("abcdefghijklmnopqrstuvwxyz");
      if (begin != word.npos) names.insert(word.substr(begin, word.find('=') - begin));
    }
  REQUIRE(names.size() > 10);
  return {names.begin(), names.end()};
}

TEST_CASE("build.sh and check.sh: none of their own variables comes from the environment") {
  for (const std::string& shell : test::script_shells()) {
    for (const std::string left_out : {"TORCHPATCH_KEEP_ENV", "kept", "nothing"}) {  // "kept" would hide the others
      INFO(shell << " without " << left_out);
      const Site site("out", kSteps, kRecipe);
      const std::string& root = site.tree.root();
      test::Variables variables;
      if (left_out != "TORCHPATCH_KEEP_ENV") variables = {{"TORCHPATCH_KEEP_ENV", "1"}};
      for (const std::string script : {"build.sh", "check.sh"})
        for (const std::string& name : own_variables(root + "/torchpatch/" + script))
          if (name != left_out) variables.emplace_back(name, "/evil");
      const ProgramResult check = site.tree.run(shell, "check.sh", {}, variables);
      CHECK(check.out == site.tree.run(shell, "check.sh").out);
      CHECK(check.exit_code == 0);
      variables.emplace_back("http_proxy", "http://proxy");
      const ProgramResult result = site.run({}, variables, shell);
      INFO(result.out << result.err);
      CHECK(result.exit_code == 0);
      CHECK(site.logged() == "recipe in " + root + "/pytorch\n" + built(root) + "step in " + root +
                                 "/pytorch with python3\n" + setup(root, "pytorch", "bdist_wheel --skip-build") +
                                 unpack(root) + setup(root, "vision", "bdist_wheel"));
      CHECK(list_files_below(root + "/dist").size() == 4);
    }
  }
}

/// Runs `script` in bash beside the tree, with functions that begin a build and wait until it compiles.
ProgramResult beside(const Site& site, const std::string& shell, const std::string& path, const std::string& script) {
  site.tree.write("../python3",
                  "#!/bin/sh\ncase $* in *build* | *bdist*) ;; *) exit 0 ;; esac\n: >started\n"
                  "while [ -e \"$HOLD\" ]; do sleep 0.1; done\ncase $* in *bdist_wheel*) mkdir -p dist && "
                  ": >dist/torch-1.whl ;; esac\n");
  site.tree.set_mode("../python3", 0755);
  const std::string functions = concat("shell='", shell, R"sh('
    export HOLD=$PWD/hold
    begin() { : >hold; rm -f out/pytorch/started; setsid $shell out/torchpatch/build.sh --online torch >first 2>&1 & first=$!
      until [ -e out/pytorch/started ]; do sleep 0.05; done; }
    second() { $shell out/torchpatch/build.sh --online torch 2>&1 >/dev/null | sed "s/ $first\b/ FIRST/g; s|$PWD|TMP|g; s/ on $(uname -n),/ on HOST,/"; }
)sh");
  return run_program({{"bash", "-c", functions + script},
                      {{"PATH", concat(site.tree.temp(), ":", path)}, {"MAX_JOBS", "1"}},
                      site.tree.temp(),
                      std::chrono::seconds(60)});
}

TEST_CASE("build.sh: one build of a tree at a time, and a killed one is in nobody's way") {
  for (const std::string& shell : test::script_shells()) {
    for (const bool has_flock : {true, false}) {
      if (!has_flock && shell.find("busybox") != shell.npos) continue;  // which has one of its own
      INFO(shell << (has_flock ? "" : " without flock"));
      const Site site;
      const std::string tools = site.tree.temp() + "/tools";
      make_directories(tools);
      const ProgramResult result = beside(site, shell, has_flock ? "/usr/bin:/bin" : tools, R"sh(
        /bin/cp -s /usr/bin/* /bin/* tools 2>/dev/null; /bin/rm tools/flock
        begin; second; kill -KILL $first
        case $shell-$PATH in *dash-$PWD:/usr*) second ;; esac   # what it started still writes
        pkill -KILL -s $first; begin; second; rm hold; wait $first; grep -c "^build.sh: built" first
        second; ls out/dist
        for text in "../x host" "$(printf '1 \033]0;title')"; do ln -sfn "$text" out/dist/lock; second; done)sh");
      INFO(result.err);
      const std::string in_use = "build.sh: error: 'TMP/out' is in use by process FIRST";
      const std::string until = ": wait until it has ended, or end ";
      const std::string stale = "build.sh: error: 'TMP/out/dist/lock' is not the lock of a run: remove it\n";
      CHECK(result.out == concat(in_use, until, "it\n",
                                 has_flock && shell.ends_with("dash")
                                     ? concat(in_use, " on HOST, or by a process that it left running", until,
                                              "the processes that 'fuser' lists for TMP/out/dist/lock\n")
                                     : "",
                                 in_use, until, "it\n1\ntorch-1.whl\ntorch.log\n", stale, stale));
    }
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
    CHECK(versions_of(shell, {own}, {}) == Versions{"none", "none", "none", "0.3.0", "it's $audio"});
    CHECK(versions_of(shell, {}, {{"BUILD_VERSION", "mine"}}) == Versions{"mine", "mine", "mine", "0.3.0", "mine"});
    CHECK(versions_of(shell, {own}, {{"BUILD_VERSION", "mine"}, {"TORCHPATCH_KEEP_ENV", "1"}}) ==
          Versions{"mine", "mine", "mine", "mine", "mine"});
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
  const std::string twice = built(site.tree.root()) + setup(site.tree.root(), "pytorch", "bdist_wheel");
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
    CHECK_THAT(result.err,
               Catch::Contains("FAIL path: found a colon, need a path without colons (GIT_CEILING_DIRECTORIES)\n"));
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
  CHECK_THAT(result.err, Catch::Contains("FAIL sources: found made-up sources; it's a sample, need PyTorch\n"));
  CHECK(site.logged().empty());
}

TEST_CASE("build.sh: finds the Python that the caller names") {
  const Site site;
  // A path is the caller's, wherever the script works.
  CHECK(site.tree
            .run("dash", "build.sh", {"torch"}, {{"PYTHON", "./python3"}, {"PATH", "/usr/bin:/bin"}, {"LOG", site.log}},
                 site.tree.temp())
            .exit_code == 0);
  CHECK_THAT(site.logged(), Catch::Contains("python3 setup.py build"));
}

TEST_CASE("build.sh: refuses before anything is built, all at once") {
  Site site;
  site.tree.requirements = test::example_requirements();
  site.seal();
  site.tree.write("../cmake", "#!/bin/sh\necho cmake version 4.0.1\n");
  site.tree.set_mode("../cmake", 0755);
  site.tree.write("../cc", "#!/bin/sh\ncase $1 in -dumpmachine) echo x86_64-linux-gnu ;; *) exit 1 ;; esac\n");
  site.tree.set_mode("../cc", 0755);
  for (const std::string& shell : test::script_shells()) {
    const ProgramResult refused = site.run({"torch"}, {}, shell);
    CHECK(refused.exit_code == 1);
    CHECK(refused.err ==
          "FAIL arch: found x86_64, need aarch64 (image jetpack-3.3)\n     build on the board\n"
          "FAIL cmake: found 4.0.1, need <4 (release 1.1.0); known issue cmake-4\n     take an older one\n"
          "build.sh: error: 2 checks failed; nothing was built. Fix them, or ignore one with --skip NAME\n");
    CHECK_FALSE(file_exists(site.log));
    const ProgramResult one = site.run({"--skip", "cmake"}, {}, shell);
    CHECK_THAT(one.err,
               Catch::Contains("error: 1 check failed; nothing was built. Fix it, or ignore it with --skip NAME\n"));
    // What is refused leaves the tree as it was prepared.
    fake_unshare(site, "exit 1");
    fake_swap(site, "1000");
    for (const std::vector<std::string>& more : {std::vector<std::string>{"--offline"}, {"--swap", "2"}, {"torch"}}) {
      std::vector<std::string> words = {"--skip", "cmake"};
      if (more[0] != "torch") words.insert(words.end(), {"--skip", "arch"});
      words.insert(words.end(), more.begin(), more.end());
      CHECK(site.run(words, {}, shell).exit_code == 1);
      CHECK_FALSE(file_exists(site.tree.root() + "/dist"));
      CHECK(site.tree.run("dash", "check.sh", {"--tree"}).exit_code == 0);
    }
    for (const char* name : {"../unshare", "../id"}) site.tree.remove(name);
  }
  const ProgramResult skipped = site.run({"--skip", "cmake", "--skip", "arch", "torch"});
  INFO(skipped.out << skipped.err);
  CHECK(skipped.exit_code == 0);
  const ProgramResult unknown = site.run({"--skip", "gcc"});
  CHECK(unknown.exit_code == 2);
  CHECK(unknown.err == "build.sh: error: unknown check 'gcc'; choose from: arch cmake; see --help\n");
}

TEST_CASE("build.sh: names what it can build") {
  const Site site;
  const auto misuse = [&](const std::vector<std::string>& arguments) {
    const ProgramResult result = site.run(arguments);
    CHECK(result.exit_code == 2);
    return result.err;
  };
  CHECK(misuse({"audio"}) == "build.sh: error: this tree does not contain audio, only: torch vision ; see --help\n");
  CHECK(misuse({"everything"}) == "build.sh: error: unknown option or component 'everything'; see --help\n");
  CHECK(misuse({"--skip"}) == "build.sh: error: --skip needs a value; see --help\n");
  CHECK(site.run({"--help"}).exit_code == 0);
  CHECK(site.logged().empty());
}

}  // namespace
}  // namespace torchpatch::report
