// SPDX-License-Identifier: BSD-3-Clause
#include <sys/stat.h>
#include <unistd.h>

#include "record/tree_scripts.h"
#include "support/catch.h"
#include "support/digest.h"
#include "support/error.h"
#include "support/text.h"
#include "unit/report/examples.h"
#include "unit/report/golden.h"
#include "unit/report/out_tree.h"

namespace torchpatch::report {

using namespace record;
namespace {

using test::OutTree;

/// Names that shells, sed, awk, xargs and sha256sum each treat in their own way.
const std::vector<std::string> kOddNames = {
    "a b", " lead", "trail ", "quote'\"", "back\\slash", "\\lead", "two\\\\",  "$HOME", "`x`", "*",   "[a]", "?",
    "-c",  "a;b",   "a: b",   "a=b",      "a\\nb",       "%s",     "\xC3\xA9", "#",     "~",   "a&b", "(x)", "END"};

/// Writes programs that answer as a host would.
void make_host(const OutTree& tree, const std::string& gcc, const std::string& cmake) {
  const auto program = [&tree](const std::string& name, const std::string& line) {
    tree.write("../host/" + name, "#!/bin/sh\n" + line + "\n");
    tree.set_mode("../host/" + name, 0755);
  };
  program("cc", "case $1 in -dumpmachine) echo aarch64-linux-gnu ;; -dumpfullversion) echo " + gcc + " ;; esac");
  program("cmake", "echo cmake version " + cmake);
  program("python3", "echo 59.5.0.post1");
}

/// A machine, two tools and a package of Python.
std::vector<HostRequirement> host_requirements() {
  std::vector<HostRequirement> all = test::example_requirements();
  all.push_back({HostProbe::version, "gcc", {}, "<11 (release 1.1.0)", true, {}, {}, "take a gcc", {}});
  all.back().steps = {{"0", "ok", false, {}, {}},
                      {"10", "too new", false, "gcc-10", "know it"},
                      {"11", "too new", true, {}, "take a gcc that is <11"}};
  all.push_back({HostProbe::package, "setuptools", {}, "<=59.5.0 (release 1.1.0)", true, {}, {}, "pip", {}});
  all.back().steps = {{"0", "ok", false, {}, {}}, {"59.5.0.0.1", "too new", true, {}, "pip"}};
  return all;
}

void fill(OutTree& tree) {
  tree.add("pytorch/setup.py", "print()\n", true);
  tree.add("pytorch/empty", "");
  tree.add("pytorch/a/deep/dir/file.txt", "text\n");
  for (const std::string& name : kOddNames) tree.add("pytorch/odd/" + name, name);
  tree.add("pytorch/odd bin/run it.sh", "run\n", true);
  tree.add("vision/setup.py", "print()\n");
  tree.add_link("pytorch/tools/latest", "../odd bin/run it.sh");
  tree.add_link("pytorch/tools/dangling\\", " a'b\\ ");
  tree.add_link("pytorch/tools/what?", "latest");
  tree.requirements = host_requirements();
  tree.seal();
  make_host(tree, "5.4.0", "3.25.1");
}

/// PATH with the host that make_host() wrote in front.
std::string host_path(const OutTree& tree) {
  const char* const ours = std::getenv("PATH");
  return tree.temp() + "/host:" + (ours == nullptr ? "/usr/bin:/bin" : ours);
}

/// Runs check.sh on that host.
ProgramResult check(const OutTree& tree, const std::string& shell, const std::vector<std::string>& arguments = {}) {
  return tree.run(shell, "check.sh", arguments, {{"PATH", host_path(tree)}});
}

/// Runs `argv` in `directory` on that host, with a CDPATH where a directory has the same name as the tree.
ProgramResult run_in(const OutTree& tree, const std::vector<std::string>& argv, const std::string& directory) {
  const std::string elsewhere = tree.temp() + "/elsewhere";
  make_directories(elsewhere + "/" + base_name(tree.root()) + "/torchpatch");
  return run_program({argv, {{"PATH", host_path(tree)}, {"CDPATH", elsewhere}}, directory, std::chrono::seconds(60)});
}

/// The lines about the tree: all before those about the host.
std::string tree_lines(const ProgramResult& result) {
  std::string lines;
  for (const std::string& line : split(result.out, '\n'))
    if (!starts_with(line, "OK") && !starts_with(line, "WARN") && !starts_with(line, "FAIL") &&
        !starts_with(line, "host: "))
      lines += line + "\n";
  return std::string(trim(lines));
}

const std::string kCounts = "33 files, 3 links, differences: ";

TEST_CASE("check.sh: has the documented form") {
  test::check_golden("check.sh", check_script(test::example_manifest(), test::example_requirements()));
}

TEST_CASE("check.sh: shellcheck finds nothing") {
  test::check_with_shellcheck(check_script(test::example_manifest(), test::example_requirements()));
  test::check_with_shellcheck(check_script(Manifest{}, {}));
}

TEST_CASE("check.sh: finds no difference in the tree as it was written") {
  for (const std::string& shell : test::script_shells()) {
    INFO(shell);
    OutTree tree;
    fill(tree);
    const ProgramResult result = check(tree, shell);
    INFO(result.out << result.err);
    CHECK(result.exit_code == 0);
    CHECK(tree_lines(result) == kCounts + "0");
    CHECK(result.err.empty());
  }
}

TEST_CASE("check.sh: works wherever the tree lies and from wherever it is called") {
  for (const std::string& shell : test::script_shells()) {
    for (const std::string name :
         {"-n", "a b", "it's \"$HOME\" `x`", "new\nline", "end\n", "back\\slash", "a=b", "%s*"}) {
      INFO(shell << ": " << quote(name));
      OutTree tree(name);
      fill(tree);
      const ProgramResult result = check(tree, shell);
      INFO(result.out << result.err);
      CHECK(tree_lines(result) == kCounts + "0");
    }
  }
}

TEST_CASE("check.sh: works by relative names") {
  OutTree tree("-n");
  fill(tree);
  for (const std::string& shell : test::script_shells()) {
    std::vector<std::string> argv = split(shell, ' ');
    argv.insert(argv.end(), {"--", "-n/torchpatch/check.sh"});
    CHECK(run_in(tree, argv, tree.temp()).exit_code == 0);
    argv.back() = "../torchpatch/check.sh";
    CHECK(run_in(tree, argv, tree.root() + "/pytorch").exit_code == 0);
    argv.back() = "check.sh";
    CHECK(run_in(tree, argv, tree.root() + "/torchpatch").exit_code == 0);
  }
}

TEST_CASE("check.sh: is a program") {
  OutTree tree;
  fill(tree);
  CHECK(run_in(tree, {tree.root() + "/torchpatch/check.sh"}, "/").exit_code == 0);
}

TEST_CASE("check.sh: reports each difference by reason and path") {
  for (const std::string& shell : test::script_shells()) {
    OutTree tree;
    fill(tree);
    const auto reports = [&](const std::string& lines) {
      const ProgramResult result = check(tree, shell);
      INFO(shell << "\n" << result.out << result.err);
      CHECK(result.exit_code == 1);
      const auto count = std::count(lines.begin(), lines.end(), '\n');
      CHECK(tree_lines(result) == lines + kCounts + std::to_string(count));
    };
    SECTION("a changed byte, whatever the name: " + shell) {
      std::vector<std::string> names = kOddNames;
      std::sort(names.begin(), names.end());
      std::string lines;
      for (const std::string& name : names) {
        tree.write("pytorch/odd/" + name, "changed");
        lines += "changed: pytorch/odd/" + name + "\n";
      }
      reports(lines);
    }
    SECTION("modes: " + shell) {
      tree.set_mode("pytorch/odd bin/run it.sh", 0644);
      tree.set_mode("pytorch/odd/a b", 0744);
      tree.set_mode("torchpatch/check.sh", 0644);
      reports(
          "mode: pytorch/odd bin/run it.sh (must be executable)\n"
          "mode: pytorch/odd/a b (must not be executable)\n"
          "mode: torchpatch/check.sh (must be executable)\n");
    }
    SECTION("a link that points elsewhere: " + shell) {
      tree.remove("pytorch/tools/latest");
      REQUIRE(symlink("../odd bin/run it.sh\n", (tree.root() + "/pytorch/tools/latest").c_str()) == 0);
      reports("link: pytorch/tools/latest (must point to ../odd bin/run it.sh)\n");
    }
    SECTION("links and files in each other's place: " + shell) {
      tree.remove("pytorch/tools/latest");
      tree.write("pytorch/tools/latest", "run\n");
      tree.remove("pytorch/empty");
      REQUIRE(symlink("setup.py", (tree.root() + "/pytorch/empty").c_str()) == 0);
      reports("type: pytorch/empty\ntype: pytorch/tools/latest\n");
    }
    SECTION("what is missing: " + shell) {
      tree.remove("pytorch/a");
      tree.remove("pytorch/tools/latest");
      reports(
          "missing: pytorch/a\nmissing: pytorch/a/deep\nmissing: pytorch/a/deep/dir\n"
          "missing: pytorch/a/deep/dir/file.txt\nmissing: pytorch/tools/latest\n");
    }
    SECTION("what is extra: " + shell) {
      tree.write("pytorch/build/x.o", "o");
      tree.write("pytorch/new\nline\x1B", "x");
      make_directories(tree.root() + "/empty");
      REQUIRE(symlink("x", (tree.root() + "/pytorch/a link").c_str()) == 0);
      REQUIRE(symlink("/etc", (tree.root() + "/pytorch/tools/what\1").c_str()) == 0);  // beside one with '?'
      reports(
          "extra: empty\nextra: pytorch/a link\nextra: pytorch/build\nextra: pytorch/build/x.o\n"
          "extra: pytorch/new?line?\nextra: pytorch/tools/what?\n");
    }
    SECTION("a FIFO in place of a file, without waiting for it: " + shell) {
      tree.remove("pytorch/empty");
      REQUIRE(mkfifo((tree.root() + "/pytorch/empty").c_str(), 0600) == 0);
      reports("type: pytorch/empty\n");
    }
  }
}

TEST_CASE("check.sh: says that the sums are missing") {
  OutTree tree;
  fill(tree);
  tree.remove("torchpatch/SHA256SUMS");
  const ProgramResult result = check(tree, test::script_shells()[0]);
  CHECK(result.out == "missing: torchpatch/SHA256SUMS\n");
  CHECK(result.exit_code == 1);
}

/// A folder with links to the programs named, for PATH; busybox stands for `applets`.
void make_path(const std::string& folder, const std::vector<std::string>& programs,
               const std::vector<std::string>& applets) {
  make_directories(folder);
  for (const std::string& name : programs)
    REQUIRE(symlink(find_program(name).c_str(), (folder + "/" + name).c_str()) == 0);
  for (const std::string& name : applets)
    REQUIRE(symlink(find_program("busybox").c_str(), (folder + "/" + name).c_str()) == 0);
}

const std::vector<std::string> kTools = {"awk", "cat", "find", "getconf", "grep",  "mktemp", "readlink",
                                         "rm",  "sed", "sort", "tr",      "uname", "wc",     "xargs"};

TEST_CASE("check.sh: hashes with whatever tool is here") {
  for (const std::string hasher : {"sha256sum", "busybox", "shasum", "openssl"}) {
    if (find_program(hasher).empty()) {
      WARN("not tested for want of " << hasher);
      continue;
    }
    INFO(hasher);
    OutTree tree;
    fill(tree);
    make_path(tree.temp() + "/bin", {hasher}, {});
    make_path(tree.temp() + "/bin", kTools, {});
    if (hasher == "shasum") make_path(tree.temp() + "/bin", {"perl"}, {});
    const test::Variables path = {{"PATH", tree.temp() + "/bin"}};
    const ProgramResult fine = tree.run(test::script_shells()[0], "check.sh", {"--tree"}, path);
    INFO(fine.out << fine.err);
    CHECK(fine.exit_code == 0);
    CHECK(tree_lines(fine) == kCounts + "0");
    tree.write("pytorch/odd/two\\\\", "changed");
    const ProgramResult changed = tree.run(test::script_shells()[0], "check.sh", {"--tree"}, path);
    CHECK(tree_lines(changed) == "changed: pytorch/odd/two\\\\\n" + kCounts + "1");
  }
}

TEST_CASE("check.sh: a tool that fails does not make a tree look fine") {
  for (const std::string& tool : kTools) {
    if (tool == "getconf" || tool == "uname" || tool == "rm" || tool == "grep") continue;  // not for the tree
    INFO(tool);
    OutTree tree;
    fill(tree);
    tree.write("pytorch/odd/a b", "changed");
    tree.write("../host/" + tool, "#!/bin/sh\nexit 1\n");
    tree.set_mode("../host/" + tool, 0755);
    CHECK(check(tree, test::script_shells()[0]).exit_code != 0);
  }
}

TEST_CASE("check.sh: needs nothing but busybox") {
  OutTree tree;
  fill(tree);
  std::vector<std::string> applets = kTools;
  applets.erase(std::find(applets.begin(), applets.end(), "getconf"));
  applets.push_back("sha256sum");
  make_path(tree.temp() + "/bin", {}, applets);
  const std::string shell = find_program("busybox") + " sh";
  const test::Variables path = {{"PATH", tree.temp() + "/bin"}};
  const ProgramResult fine = tree.run(shell, "check.sh", {"--tree"}, path);
  INFO(fine.out << fine.err);
  CHECK(tree_lines(fine) == kCounts + "0");
  CHECK(fine.exit_code == 0);
  tree.write("pytorch/odd/back\\slash", "changed");
  tree.set_mode("pytorch/empty", 0755);
  tree.write("pytorch/odd/\1", "x");
  CHECK(tree_lines(tree.run(shell, "check.sh", {"--tree"}, path)) ==
        "mode: pytorch/empty (must not be executable)\nchanged: pytorch/odd/back\\slash\nextra: pytorch/odd/?\n" +
            kCounts + "3");
}

TEST_CASE("check.sh: exits with 2 where a tool is missing or an argument is unknown") {
  OutTree tree;
  fill(tree);
  const std::string dash = test::script_shells()[0];
  make_path(tree.temp() + "/bin", kTools, {});
  const test::Variables path = {{"PATH", tree.temp() + "/bin"}};
  const ProgramResult no_hasher = tree.run(dash, "check.sh", {}, path);
  CHECK(no_hasher.exit_code == 2);
  CHECK(no_hasher.err == "check.sh: found none of sha256sum, busybox, shasum and openssl, need one\n");
  remove_tree(tree.temp() + "/bin/awk");
  const ProgramResult no_awk = tree.run(dash, "check.sh", {}, path);
  CHECK(no_awk.exit_code == 2);
  CHECK(no_awk.err == "check.sh: 'awk' not found\n");
  CHECK(tree.run(dash, "check.sh", {"--hosts"}).exit_code == 2);
  const ProgramResult help = tree.run(dash, "check.sh", {"--help"});
  CHECK(help.exit_code == 0);
  CHECK_THAT(help.out, Catch::StartsWith("Usage: check.sh [--tree | --install [--yes]]\n"));
}

TEST_CASE("check.sh: compares the host with what the build asks of it") {
  for (const std::string& shell : test::script_shells()) {
    INFO(shell);
    OutTree tree;
    fill(tree);
    const ProgramResult fine = check(tree, shell, {"--host"});
    CHECK(fine.exit_code == 0);
    CHECK(fine.out == kCounts +
                          "0\n"
                          "OK   arch: found aarch64, need aarch64 (image jetpack-3.3)\n"
                          "OK   cmake: found 3.25.1, need <4 (release 1.1.0)\n"
                          "OK   gcc: found 5.4.0, need <11 (release 1.1.0)\n"
                          "OK   setuptools: found 59.5.0.post1, need <=59.5.0 (release 1.1.0)\n"
                          "host: 0 of 4 checks failed, 0 warnings\n");
    make_host(tree, "10.2", "3.9");
    const ProgramResult warned = check(tree, shell);
    CHECK(warned.exit_code == 0);
    CHECK_THAT(warned.out, Catch::StartsWith(kCounts + "0\nWARN gcc") && Catch::Contains("\nOK   setuptools") &&
                               Catch::EndsWith("host: 0 of 4 checks failed, 1 warning\n"));
    CHECK_THAT(warned.out,
               Catch::Contains("WARN gcc: found 10.2, need <11 (release 1.1.0); known issue gcc-10\n     know it\n"));
    make_host(tree, "11.2", "4.0");
    const ProgramResult other = check(tree, shell);
    CHECK(other.exit_code == 1);
    CHECK_THAT(other.out, Catch::EndsWith("host: 2 of 4 checks failed, 0 warnings; build.sh would refuse this host\n"));
    CHECK_THAT(other.out,
               Catch::StartsWith(kCounts + "0\nFAIL cmake: found 4.0, need <4 (release 1.1.0); known issue cmake-4\n"
                                           "     take an older one\n"));
    CHECK_THAT(other.out,
               Catch::Contains("FAIL gcc: found 11.2, need <11 (release 1.1.0)\n     take a gcc that is <11\n"));
    const ProgramResult alone = check(tree, shell, {"--tree"});
    CHECK(alone.exit_code == 0);
    CHECK(alone.out == kCounts + "0\n");
  }
}

TEST_CASE("check.sh: refuses a place that build.sh refuses on any host") {
  OutTree tree;
  fill(tree);
  REQUIRE(rename(tree.root().c_str(), (tree.temp() + "/a:b").c_str()) == 0);
  const ProgramResult colon = run_in(tree, {"dash", "a:b/torchpatch/check.sh"}, tree.temp());
  CHECK(colon.exit_code == 1);
  CHECK_THAT(colon.out,
             Catch::StartsWith(kCounts + "0\nFAIL path: found a colon, need a path without colons "
                                         "(GIT_CEILING_DIRECTORIES)\n     move the tree\nhost: 1 of 1") &&
                 Catch::EndsWith("host: 1 of 1 checks failed, 0 warnings; build.sh would refuse this host\n"));
  OutTree made_up;
  made_up.manifest.stand_in = "made-up sources";
  fill(made_up);
  const ProgramResult sources = check(made_up, "dash");
  CHECK(sources.exit_code == 1);
  CHECK_THAT(sources.out, Catch::Contains("FAIL sources: found made-up sources, need PyTorch\n"));
}

TEST_CASE("check.sh: does not run a build.env that is not the listed one") {
  OutTree tree;
  fill(tree);
  tree.write("torchpatch/build.env", "touch \"$HOME/owned\"\n");
  const ProgramResult result = check(tree, test::script_shells()[0]);
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.out, Catch::Contains("FAIL build.env: differs from SHA256SUMS, so this host was not checked\n"));
  CHECK_FALSE(file_exists(tree.temp() + "/owned"));
}

TEST_CASE("check.sh: what it cannot write in full is no sound tree") {
  OutTree tree;
  fill(tree);
  tree.write("pytorch/evil.py", "evil");
  for (const std::string& shell : test::script_shells()) {
    for (int blocks = 0; blocks < 12; ++blocks) {  // of 512 bytes
      const std::string line = concat("trap '' XFSZ; ulimit -f ", blocks, "; exec ", shell, " torchpatch/check.sh");
      const ProgramResult result =
          run_program({{"dash", "-c", line}, {{"PATH", host_path(tree)}}, tree.root(), std::chrono::seconds(60)});
      INFO(shell << " " << blocks << "\n" << result.out << result.err);
      CHECK(result.exit_code != 0);
      CHECK_THAT(result.out, !Catch::Contains("differences: 0"));
    }
  }
}

TEST_CASE("check.sh: compares versions number by number") {
  OutTree tree;
  // Where a step begins, a host's version, and whether it is at that step or beyond.
  const std::vector<std::tuple<std::string, std::string, bool>> cases = {
      {"3.10", "3.9.1", false}, {"3.9", "3.10", true},    {"4", "3.5", false},        {"4", "4.0.0", true},
      {"3.6", "3.5.9", false},  {"3.6", "3.50", true},    {"3.5.0.1", "3.5.1", true}, {"3.5.0.1", "3.5.0", false},
      {"59.6", "59.5", false},  {"3.5", "3.5.0.1", true}, {"1.2", "1.2rc1", true},    {"10", "9", false}};
  for (const auto& [from, have, is_there] : cases) {
    INFO(have << " at " << from);
    tree.requirements = {{HostProbe::version, "cmake", {}, "x", true, {}, {}, "y", {}}};
    tree.requirements[0].steps = {{"0", "ok", false, {}, {}}, {from, "too new", true, {}, "y"}};
    tree.seal();
    make_host(tree, "5.4.0", have);
    CHECK(check(tree, test::script_shells()[0], {"--host"}).exit_code == (is_there ? 1 : 0));
  }
}

TEST_CASE("check.sh: a text of the manifest cannot become a command") {
  OutTree tree;
  tree.manifest.release = "1.1.0\ntouch \"$HOME/owned\"";
  tree.manifest.image = "x\nEND\n}\ntouch \"$HOME/owned\"";
  const std::string evil = "$(touch \"$HOME/owned\")\nEND\n`touch \"$HOME/owned\"`\ttab";
  tree.requirements = {{HostProbe::import, "a\nEND", evil, evil, true, {}, evil, evil, {}},
                       {HostProbe::library, "USE_X", evil, evil, true, {}, evil, evil, {}}};
  tree.seal();
  for (const std::string& shell : test::script_shells()) check(tree, shell);
  CHECK_FALSE(file_exists(tree.temp() + "/owned"));
}

TEST_CASE("check_script: does not depend on the order of the lists") {
  Manifest manifest = test::example_manifest();
  manifest.links.push_back({"pytorch/a", "b"});
  const std::string script = check_script(manifest, {});
  std::reverse(manifest.links.begin(), manifest.links.end());
  std::reverse(manifest.executables.begin(), manifest.executables.end());
  CHECK(check_script(manifest, {}) == script);
}

TEST_CASE("check_script: refuses what a line cannot carry") {
  Manifest manifest = test::example_manifest();
  manifest.links = {{"pytorch/a", "b\nc"}};
  CHECK_THROWS_AS(check_script(manifest, {}), Error);
  manifest = test::example_manifest();
  manifest.executables = {"pytorch/a\nb"};
  CHECK_THROWS_AS(check_script(manifest, {}), Error);
}

TEST_CASE("check.sh: checks twenty thousand files within seconds") {
  OutTree tree;
  for (int i = 0; i < 20000; ++i) tree.add(concat("pytorch/", i % 100, "/file ", i), "x", i % 40 == 0);
  tree.seal();
  make_host(tree, "5.4.0", "3.25.1");
  const ProgramResult result = check(tree, test::script_shells()[0]);  // within the limit of run()
  INFO(result.out << result.err);
  CHECK(tree_lines(result) == "20004 files, 0 links, differences: 0");
}

}  // namespace
}  // namespace torchpatch::report
