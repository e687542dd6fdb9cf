// SPDX-License-Identifier: BSD-3-Clause
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "command/toy_workspace.h"
#include "record/recipe/recipe.h"
#include "support/catch.h"
#include "support/file.h"
#include "support/program.h"
#include "support/source_directory.h"
#include "support/text.h"

using namespace torchpatch;
using Catch::Contains;
using Catch::EndsWith;
using Catch::StartsWith;
using test::CliResult;

namespace {

/// This machine's architecture, so that what a recipe makes runs here.
std::string own_arch() {
  utsname names{};
  uname(&names);
  return names.machine;
}

const std::vector<std::string> kKinds = {"native", "chroot", "sysroot", "container"};

struct Recipes : test::ToyWorkspace {
  Recipes() { upstream.certify(); }

  void prepare(const std::string& output, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {"prepare",  "--version",       "1.1.0",    "--board",    "small",
                                      "--mirror", upstream.mirror(), "--output", path(output), "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    const CliResult result = run(words);
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
  }
  CliResult recipe(const std::string& tree, const std::string& kind, const std::string& output,
                   const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {"recipe", path(tree), "--kind", kind, "--output", path(output), "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
  ProgramResult shell(const std::string& script) const {
    return run_program({{"bash", "-c", script},
                        {{"PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}, {"LC_ALL", "C"}},
                        path(""),
                        std::chrono::seconds(60)});
  }
};

std::string bytes_below(const std::string& directory) {
  std::string bytes;
  for (const std::string& name : list_files_below(directory))
    bytes += concat(name, "\n", read_file(directory + "/" + name));
  return bytes;
}

/// Asserts that shellcheck finds nothing in the scripts of a recipe.
void check_scripts(const std::string& recipe) {
  std::vector<std::string> words = {"shellcheck", "-s", "sh"};
  for (const std::string& name : list_files_below(recipe))
    if (ends_with(name, ".sh") || name == "bin/cmake" || name == "bin/nvcc") words.push_back(recipe + "/" + name);
  REQUIRE(words.size() > 3);
  const ProgramResult found = run_program({words, {{"HOME", recipe}, {"LC_ALL", "C.UTF-8"}}, "", {}});
  INFO(found.out << found.err);
  CHECK(found.exit_code == 0);
}

}  // namespace

TEST_CASE("recipe: the same bytes wherever it is written, and shellcheck finds nothing") {
  const Recipes workspace;
  workspace.prepare("out", {"--set", "cross=true", "--set", "USE_CUDA=0"});
  make_directories(workspace.path("elsewhere"));
  workspace.prepare("elsewhere/again", {"--set", "cross=true", "--set", "USE_CUDA=0"});
  for (const std::string& kind : kKinds) {
    CAPTURE(kind);
    const CliResult one = workspace.recipe("out", kind, kind);
    INFO(one.err);
    REQUIRE(one.exit_code == 0);
    REQUIRE(workspace.recipe("elsewhere/again", kind, "elsewhere/" + kind).exit_code == 0);
    CHECK(bytes_below(workspace.path(kind)) == bytes_below(workspace.path("elsewhere/" + kind)));
    check_scripts(workspace.path(kind));
    CHECK(split(read_file(workspace.path(kind) + "/README.md"), '\n').size() <= 40);
  }
}

TEST_CASE("recipe: README.md has the size of WORK, and what the machine lacks is listed once") {
  const Recipes workspace;
  const auto build = [](const char* id, const char* release, const char* recipe, int disk_mib) {
    return concat("{\"id\": \"", id, "\", \"release\": \"", release, "\", \"recipe\": \"", recipe,
                  "\", \"arch\": \"aarch64\", \"cpus\": 1, \"minutes\": 1, \"disk_mib\": ", disk_mib, "}");
  };
  write_file_atomically(
      workspace.upstream.catalog_directory() + "/build_sizes.json",
      concat("{\"schema\": 1, \"builds\": [", build("a", "1.0.0", "chroot", 1000), ", ",
             build("b", "1.1.0", "sysroot", 4321), ", ", build("c", "1.2.0", "native", 9000),
             "], \"sources\": [{\"keys\": [\"builds\"], \"source\": \"a test\", \"verified\": true}]}"));
  workspace.prepare("out");
  REQUIRE(workspace.recipe("out", "chroot", "recipe").exit_code == 0);
  CHECK_THAT(read_file(workspace.path("out/torchpatch/check.sh")), Contains("\nsize\tdisk\t4321\t"));
  CHECK_THAT(read_file(workspace.path("recipe/README.md")),
             Contains("makes, about 4321 MiB.\n") &&
                 Contains("`sh run.sh OUT WORK --check` lists what this machine lacks.\n"));
  const ProgramResult lacking = run_program({{"dash", "recipe/run.sh", "out", "work", "--distcc", "--check"},
                                             {},
                                             workspace.path(""),
                                             std::chrono::seconds(60)});
  std::vector<std::string> lines = split(lacking.err, '\n');
  std::ranges::sort(lines);
  INFO(lacking.err);
  CHECK(std::ranges::adjacent_find(lines) == lines.end());
}

TEST_CASE("recipe: --check names each file that is not what would be written") {
  const Recipes workspace;
  workspace.prepare("out", {"--set", "cross=true", "--set", "USE_CUDA=0"});
  REQUIRE(workspace.recipe("out", "sysroot", "recipe").exit_code == 0);
  const auto check = [&] {
    return workspace.run({"recipe", workspace.path("out"), "--check", workspace.path("recipe"), "--quiet"});
  };
  CHECK(check().out == "'$TMP/recipe': 8 files, differences: 0\n");
  CHECK(check().exit_code == 0);
  test::edit(workspace.path("recipe/run.sh"), "check_root_user \"$@\"\n", "true\n");
  workspace.write("recipe/python/torch.py", "");
  REQUIRE(unlink(workspace.path("recipe/toolchain.cmake").c_str()) == 0);
  REQUIRE(chmod(workspace.path("recipe/cross.sh").c_str(), 0644) == 0);
  REQUIRE(symlink("/bin/true", workspace.path("recipe/bin/python3").c_str()) == 0);
  const CliResult result = check();
  CHECK(result.exit_code == 1);
  CHECK(result.out ==
        "'$TMP/recipe': 8 files, differences: 5\n  differs: 'bin/python3'\n  differs: 'cross.sh'\n"
        "  differs: 'python/torch.py'\n  differs: 'run.sh'\n  differs: 'toolchain.cmake'\n");
}

TEST_CASE("recipe: --replace writes over a recipe and nothing else") {
  const Recipes workspace;
  workspace.prepare("out", {"--set", "cross=true", "--set", "USE_CUDA=0"});
  REQUIRE(workspace.recipe("out", "sysroot", "recipe").exit_code == 0);
  workspace.write("recipe/notes.txt", "mine");
  const CliResult refused = workspace.recipe("out", "container", "recipe");
  CHECK(refused.exit_code == 7);
  CHECK_THAT(refused.err, Contains("it already contains a recipe\nhint: replace it with --replace, or choose another"));
  CHECK(file_exists(workspace.path("recipe/bin/cmake")));
  const CliResult result = workspace.recipe("out", "container", "recipe", {"--replace"});
  INFO(result.err);
  CHECK(result.exit_code == 0);
  CHECK(list_files_below(workspace.path("recipe")) ==
        std::vector<std::string>{"Containerfile", "README.md", "notes.txt", "recipe.json", "run.sh"});
  CHECK(!is_directory(workspace.path("recipe/bin")));
  CHECK(workspace.run({"recipe", workspace.path("out"), "--check", workspace.path("recipe"), "--quiet"}).out ==
        "'$TMP/recipe': 4 files, differences: 1\n  differs: 'notes.txt'\n");
  // What stands in the place of a directory of ours may lead anywhere.
  make_directories(workspace.path("elsewhere"));
  REQUIRE(symlink("../elsewhere", workspace.path("recipe/bin").c_str()) == 0);
  const std::string before = bytes_below(workspace.path("recipe"));
  CHECK(workspace.recipe("out", "sysroot", "recipe", {"--replace"}).exit_code == 7);
  CHECK(bytes_below(workspace.path("recipe")) == before);
  CHECK(list_files_below(workspace.path("elsewhere")).empty());
  workspace.write("mine/run.sh", "mine");
  CHECK(workspace.recipe("out", "native", "mine", {"--replace"}).exit_code == 7);
  CHECK(read_file(workspace.path("mine/run.sh")) == "mine");
  for (const std::string& kind : kKinds) {
    REQUIRE(workspace.recipe("out", kind, "one-" + kind).exit_code == 0);
    const std::vector<std::string> names = record::recipe_names(*parse_name<RecipeKind>(kind));
    for (const std::string& name : list_files_below(workspace.path("one-" + kind)))
      CHECK(std::ranges::count(names, name) == 1);
  }
}

TEST_CASE("recipe: without a tree it prepares the one of its plan, and no other") {
  const Recipes workspace;
  const auto write = [&](const std::string& output) {
    return workspace.run({"recipe", "--version", "1.1.0", "--board", "small", "--set", "CFLAGS=-O2 -g", "--kind",
                          "native", "--output", workspace.path(output), "--quiet"});
  };
  const CliResult written = write("recipe");
  INFO(written.err);
  REQUIRE(written.exit_code == 0);
  CHECK(written.out == "wrote 3 files to $TMP/recipe\n  next  read $TMP/recipe/README.md\n");
  REQUIRE(write("again").exit_code == 0);
  CHECK(bytes_below(workspace.path("recipe")) == bytes_below(workspace.path("again")));
  const std::string script = read_file(workspace.path("recipe/run.sh"));
  CHECK_THAT(script, Contains("prepare() {\n  torchpatch prepare --version 1.1.0 --board small --image one --component "
                              "torch --component vision "
                              "--set 'CFLAGS=-O2 -g' \"$@\"\n}\n"));

  // A program in place of torchpatch: what it prepares has to be of this plan.
  workspace.write("bin/torchpatch",
                  "#!/bin/sh\nwhile [ \"$1\" != --output ]; do shift; done\nmkdir -p \"$2/torchpatch\"\n"
                  "echo '{' >\"$2/torchpatch/manifest.json\"\n");
  workspace.write("bin/dpkg-query", "#!/bin/sh\necho installed\n");
  for (const char* name : {"bin/torchpatch", "bin/dpkg-query"}) REQUIRE(chmod(workspace.path(name).c_str(), 0755) == 0);
  const ProgramResult other =
      run_program({{"dash", "recipe/run.sh", "work"},
                   {{"PATH", workspace.path("bin") + ":/usr/bin:/bin"}, {"HOME", workspace.path("")}},
                   workspace.path(""),
                   std::chrono::seconds(60)});
  CHECK(other.exit_code == 1);
  CHECK_THAT(other.err, Contains("run.sh: error: this version of torchpatch makes a different plan from the version "
                                 "that wrote this recipe: write the recipe again\n"));
  CHECK(workspace.run({"recipe", "--version", "1.1.0", "--kind", "native", "--output", "x"}).exit_code == 2);
}

TEST_CASE("recipe: on Debian 12, run.sh and the guide have one command for Ubuntu's keys") {
  const Recipes workspace;
  workspace.prepare("out");
  REQUIRE(workspace.recipe("out", "chroot", "recipe").exit_code == 0);
  const ProgramResult lacking = workspace.shell(R"sh(
    sed '$d' recipe/run.sh >functions
    for system in debian-12 debian-13; do
      sh -c '. ./functions; work=w only_check=1
        keyring() { echo nowhere ubuntu-keyring; }
        check_tools() { :; }
        system_of() { echo '"$system"'; }
        check_bootstrap root'
    done)sh");
  const std::vector<std::string> lines = split(lacking.err, '\n');
  INFO(lacking.err);
  REQUIRE(lines.size() == 3);
  CHECK(lines[1] == "run.sh: error: keys of ubuntu not found: apt-get install ubuntu-keyring");
  const std::string guide = read_file(test::source_directory() + "/docs/guides/zynq-pynq.md");
  const std::size_t begin = guide.find("mkdir -p trixie/partial\n");
  REQUIRE(begin != std::string::npos);
  std::string commands = guide.substr(begin, guide.find("\n```", begin) - begin);
  replace_all(commands, "do\n  ", "do ");
  replace_all(commands, "\n", "; ");
  CHECK(lines[0] == "run.sh: error: keys of ubuntu not found: " + commands);
}

TEST_CASE("recipe: README.md installs into PYNQ's virtual environment from 2.7 on, and imports what was built") {
  test::TestWorkspace workspace;
  workspace.set_variable("TORCHPATCH_DATA", test::source_directory());
  const auto readme = [&](const std::string& image) {
    const CliResult result =
        workspace.run({"recipe", "--version", "1.8.1", "--board", "pynq-z1", "--image", image, "--component", "torch",
                       "--component", "vision", "--kind", "chroot", "--output", workspace.path(image), "--quiet"});
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    return read_file(workspace.path(image + "/README.md"));
  };
  CHECK_THAT(
      readme("pynq-2.7"),
      Contains("```sh\nsudo -s\napt-get install python3 ") &&
          Contains("\n. /etc/profile.d/pynq_venv.sh\npython3 -m pip install --no-deps dist/*.whl\n(cd / && python3 "
                   "-c 'import torch, torchvision; print(torch.ones(2) + 1)')\n```\n"));
  CHECK_THAT(readme("pynq-2.6"), Contains("```sh\nsudo apt-get install python3 ") && !Contains("pynq_venv"));
  REQUIRE(workspace
              .run({"recipe", "--version", "1.10.2", "--board", "rpi4", "--image", "raspios-11-64", "--host",
                    "graviton1", "--kind", "native", "--output", workspace.path("host"), "--quiet"})
              .exit_code == 0);
  CHECK_THAT(read_file(workspace.path("host/run.sh")), Contains(" --host graviton1:ubuntu-20.04 "));
  CHECK_THAT(
      read_file(workspace.path("host/README.md")),
      Contains("* Planned for graviton1 with ubuntu-20.04 and Python 3.9, with its headers, NumPy and PyYAML; if "
               "`python3` is another, set `PYTHON=python3.9`.\n"));
  CHECK_THAT(workspace
                 .run({"recipe", "--version", "1.4.1", "--board", "ultra96", "--image", "pynq-2.5", "--host",
                       "graviton1:ubuntu-22.04", "--kind", "native", "--output", workspace.path("refused"), "--quiet"})
                 .err,
             Contains("\nhint: --host graviton1:ubuntu-18.04 fits; or build in a container"));
}

TEST_CASE("recipe: audit shows what it is made of, and refuses one that is not the tree's") {
  const Recipes workspace;
  workspace.prepare("out");
  REQUIRE(workspace.recipe("out", "chroot", "recipe").exit_code == 0);
  const auto audit = [&] {
    return workspace.run({"audit", workspace.path("out"), "--recipe", workspace.path("recipe"), "--quiet"});
  };
  const CliResult shown = audit();
  CHECK(shown.exit_code == 0);
  CHECK_THAT(shown.out,
             Contains("recipe chroot") && Contains("suite=xenial") && Contains("packages='ca-certificates gcc "));
  test::edit(workspace.path("recipe/run.sh"), "suite=xenial", "suite=zenial");
  const CliResult refused = audit();
  CHECK(refused.exit_code == 3);
  CHECK(refused.err ==
        "torchpatch: error: the recipe in '$TMP/recipe' does not match this tree: 'run.sh'\n"
        "hint: write it again with 'torchpatch recipe'\n");
  CHECK_THAT(workspace.run({"audit", "--version", "1.1.0", "--board", "small", "--recipe", "recipe"}).err,
             Contains("--recipe needs a prepared tree"));
}

TEST_CASE("recipe: the board's compiler libraries are there where a wheel is built and where it runs") {
  const Recipes workspace;
  for (const std::string arch : {"aarch64", "armv7l"}) {
    CAPTURE(arch);
    workspace.prepare(arch, {"--set", "arch=" + arch, "--set", "cross=true", "--set", "USE_CUDA=0"});
    REQUIRE(workspace.recipe(arch, "sysroot", arch + "-recipe").exit_code == 0);
    const auto has = [&](const std::string& name, const std::string& package) {
      return read_file(workspace.path(arch + "-recipe/" + name)).find(package) != std::string::npos;
    };
    CHECK(has("run.sh", arch == "armv7l" ? "libstdc++6:armhf libgomp1:armhf" : "libstdc++6:arm64 libgomp1:arm64"));
    CHECK(has("run.sh", "libatomic1:armhf") == (arch == "armv7l"));
    CHECK(has("README.md", "libatomic1") == (arch == "armv7l"));
  }
}

TEST_CASE("recipe: setup files of a cross build see the torch that cannot be loaded here") {
  const Recipes workspace;
  workspace.prepare("out", {"--set", "cross=true", "--set", "USE_CUDA=0"});
  REQUIRE(workspace.recipe("out", "sysroot", "recipe").exit_code == 0);
  workspace.write("site/torch/__init__.py", "raise ImportError('made for another machine')\n");
  workspace.write("site/torch/version.py", "__version__ = '1.8.1'\n");
  workspace.write("site/torch/utils/cpp_extension.py", "import torch\nABI = torch._C._PYBIND11_BUILD_ABI\n");
  const ProgramResult seen = run_program({{"bash", "-c", R"sh(cd "$0"
    PYTHONPATH=recipe/python:site CXX='g++ -O1' python3 -c 'import torch
from torch.utils import cpp_extension
print(torch.__version__, cpp_extension.ABI, torch.cuda.is_available())'
    echo "1.8.1 _cxxabi$(echo __GXX_ABI_VERSION | g++ -x c++ -E -P -) False")sh",
                                           workspace.path("")},
                                          {{"PATH", "/usr/local/bin:/usr/bin:/bin"}},
                                          "",
                                          {}});
  INFO(seen.err);
  const std::vector<std::string> lines = split(seen.out, '\n');
  REQUIRE(lines.size() == 3);
  CHECK(lines[0] == lines[1]);
}

TEST_CASE("recipe: brings the libraries that variables of the plan turn on") {
  const Recipes workspace;
  workspace.prepare("out", {"--set", "USE_MPI=1", "--set", "USE_OPENCV=OFF"});
  REQUIRE(workspace.recipe("out", "chroot", "recipe").exit_code == 0);
  const std::string script = read_file(workspace.path("recipe/run.sh"));
  CHECK_THAT(script, Contains(" libopenmpi-dev") && !Contains("libopencv-dev"));
}

TEST_CASE("recipe: a cross build takes Open MPI for the board, and a wrapper that runs here") {
  const Recipes workspace;
  for (const std::string on : {"0", "1"}) {
    CAPTURE(on);
    workspace.prepare("out-" + on,
                      {"--set", "arch=armv7l", "--set", "cross=true", "--set", "USE_CUDA=0", "--set", "USE_MPI=" + on});
    REQUIRE(workspace.recipe("out-" + on, "sysroot", on).exit_code == 0);
    CHECK(file_exists(workspace.path(on + "/bin/mpicxx")) == (on == "1"));
    const std::string script = read_file(workspace.path(on + "/run.sh"));
    CHECK_THAT(script, !Contains("libopenmpi-dev:"));
    CHECK_THAT(script, Contains(on == "1" ? "openmpi=libopenmpi-dev\n" : "openmpi=''\n"));
    CHECK((read_file(workspace.path(on + "/README.md")).find("openmpi-bin") != std::string::npos) == (on == "1"));
  }
  workspace.write("bin/arm-linux-gnueabihf-g++", "#!/bin/sh\necho \"$@\"\n");
  const ProgramResult seen = run_program({{"bash", "-c", R"sh(cd "$0"
    chmod +x bin/*
    for word in -showme:compile -showme:link; do sh 1/bin/mpicxx "$word"; done
    PATH=$PWD/bin:$PATH sh 1/bin/mpicxx -o 'a program' a.cpp)sh",
                                           workspace.path("")},
                                          {{"PATH", "/usr/local/bin:/usr/bin:/bin"}},
                                          "",
                                          {}});
  const std::string headers = "-I/usr/lib/arm-linux-gnueabihf/openmpi/include";
  CHECK(seen.out == concat(headers, "\n-lmpi\n", headers, " -o a program a.cpp -lmpi\n"));
}

TEST_CASE("recipe: a cross build for a GPU takes CUDA from Debian's packages") {
  const Recipes workspace;
  const auto write = [&](const std::string& cuda, const std::string& version, const std::string& python) {
    workspace.prepare(cuda, {"--set", "cross=true", "--set", "cuda=" + version, "--set", "python=" + python, "--set",
                             "USE_CUDNN=0", "--force"});
    const CliResult result = workspace.recipe(cuda, "sysroot", cuda + "-recipe", {"--cuda", cuda});
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
  };
  const auto bytes = [&](const std::string& name) { return read_file(workspace.path(name)); };
  write("debian-11.2", "11.2", "3.9");
  CHECK_THAT(bytes("debian-11.2-recipe/run.sh"),
             Contains("system=debian-11\n") && Contains("suite=bullseye\n") && Contains("\ncuda=debian-11.2\n") &&
                 Contains(" nvidia-cuda-toolkit libcudart11.0:arm64 ") && Contains(" libnvjpeg11:arm64'\n"));
  CHECK_THAT(bytes("debian-11.2-recipe/cross.sh"), Contains("\ncuda=debian-11.2\n"));
  CHECK_THAT(bytes("debian-11.2-recipe/toolchain.cmake"),
             Contains("\nset(CUDA_HOST_COMPILER /usr/bin/${triplet}-g++ CACHE FILEPATH \"\")\n") &&
                 Contains("\nset(CMAKE_CUDA_ARCHITECTURES 62)\n"));
  CHECK_THAT(bytes("debian-11.2-recipe/recipe.json"), Contains("\"cuda\": \"debian-11.2\","));
  CHECK_THAT(
      bytes("debian-11.2-recipe/README.md"),
      Contains("\n* CUDA 11.2 is Debian's (`--cuda debian-11.2`), not JetPack's: without cuDNN, and for a driver that "
               "supports CUDA 11.2.\n") &&
          Contains(" libcudart11.0 libcublas11 ") && Contains("\n* debian-11 replaces the system of the image one: "));
  check_scripts(workspace.path("debian-11.2-recipe"));
  CHECK(workspace
            .run({"recipe", workspace.path("debian-11.2"), "--check", workspace.path("debian-11.2-recipe"), "--quiet"})
            .out == "'$TMP/debian-11.2-recipe': 9 files, differences: 0\n");
  CHECK_THAT(
      workspace
          .run({"audit", workspace.path("debian-11.2"), "--recipe", workspace.path("debian-11.2-recipe"), "--quiet"})
          .out,
      Contains("cuda=debian-11.2"));

  // The newest compiler that nvcc takes is not the system's own.
  write("debian-11.8", "11.8", "3.11");
  CHECK_THAT(bytes("debian-11.8-recipe/run.sh"), Contains(":arm64 g++-11-aarch64-linux-gnu'\n"));
  CHECK_THAT(bytes("debian-11.8-recipe/toolchain.cmake"), Contains("{triplet}-g++-11 CACHE"));
  CHECK(bytes("debian-11.8-recipe/bin/nvcc") == bytes("debian-11.2-recipe/bin/nvcc"));
}

TEST_CASE("recipe: a cross build that would not have the plan's CUDA is refused") {
  const Recipes workspace;
  const auto error = [&](const std::string& tree, const std::vector<std::string>& more,
                         const std::string& kind = "sysroot") {
    const CliResult result = workspace.recipe(tree, kind, "recipe", more);
    CHECK(result.exit_code == 2);
    CHECK_FALSE(file_exists(workspace.path("recipe")));
    return result.err;
  };
  workspace.prepare("out", {"--set", "cross=true"});
  const std::string cpu_only =
      "torchpatch: error: 'small' has a GPU, but a sysroot recipe without --cuda builds for the CPU only\n"
      "hint: pass one of --cuda debian-11.2, debian-11.8, debian-12.4, use --kind chroot or native, or prepare with "
      "--set USE_CUDA=0\n";
  CHECK(error("out", {}) == cpu_only);
  workspace.prepare("unknown", {"--set", "cross=true", "--set", "python=3.9", "--set", "cuda=none", "--set",
                                "USE_CUDNN=0", "--force"});
  CHECK(error("unknown", {"--root", "debian-11"}) == cpu_only);
  CHECK(error("unknown", {"--cuda", "debian-11.2"}) ==
        "torchpatch: error: --cuda debian-11.2: the tree is prepared for no known CUDA\n"
        "hint: prepare it with --set cuda=11.2\n");
  workspace.prepare("newer", {"--set", "cross=true", "--set", "python=3.9", "--force"});
  CHECK(error("newer", {"--cuda", "debian-11.2"}) ==
        "torchpatch: error: --cuda debian-11.2: the tree is prepared for CUDA 9.0 and with cuDNN, which Debian does "
        "not have "
        "for the board\n"
        "hint: prepare it with --set cuda=11.2 --set USE_CUDNN=0\n");
  CHECK(error("newer", {"--cuda", "debian-11.2", "--root", "raspios-11"}) ==
        "torchpatch: error: --cuda debian-11.2 is packaged for debian-11, but --root is raspios-11\n"
        "hint: omit --root, or pass debian-11\n");
  CHECK(error("newer", {"--cuda", "debian-11.2"}, "chroot") ==
        "torchpatch: error: --cuda is for --kind sysroot, not for chroot\n"
        "hint: omit --cuda: the recipe builds in a system with the board's CUDA\n");
  workspace.prepare("without", {"--set", "cross=true", "--set", "python=3.9", "--set", "NO_CUDA=1", "--force"});
  CHECK(error("without", {"--cuda", "debian-11.2"}) ==
        "torchpatch: error: --cuda debian-11.2: the plan for 'small' does not use CUDA\nhint: omit --cuda\n");
  workspace.prepare("narrow", {"--set", "cross=true", "--set", "python=3.9", "--set", "arch=armv7l", "--force"});
  CHECK(error("narrow", {"--cuda", "debian-11.2"}) ==
        "torchpatch: error: --cuda debian-11.2 is for aarch64, the board is armv7l\n");
  CHECK_THAT(error("newer", {"--cuda", "debian-11.3"}), Contains("unknown --cuda 'debian-11.3'; choose from "
                                                                 "debian-11.2, debian-11.8, debian-12.4"));

  // A record that somebody wrote.
  workspace.prepare("cpu", {"--set", "cross=true", "--set", "USE_CUDA=0"});
  REQUIRE(workspace.recipe("cpu", "sysroot", "edited").exit_code == 0);
  test::edit(workspace.path("edited/recipe.json"), "\"plan\"", "\"cuda\": \"debian-9\", \"plan\"");
  CHECK(workspace.run({"recipe", workspace.path("cpu"), "--check", workspace.path("edited"), "--quiet"}).err ==
        "torchpatch: error: --cuda: unknown version 'debian-9'\n"
        "hint: known: debian-11.2, debian-11.8, debian-12.4\n");
}

TEST_CASE("recipe: what cannot be written is refused with what to do") {
  const Recipes workspace;
  workspace.prepare("companion", {"--component", "vision"});
  CHECK(workspace.recipe("companion", "container", "recipe").err ==
        "torchpatch: error: a container recipe builds torch first, but this tree does not contain it\n"
        "hint: also prepare --component torch, or use another --kind\n");
  workspace.prepare("own");
  CHECK(workspace.recipe("own", "sysroot", "recipe").err ==
        "torchpatch: error: the tree is not prepared for a cross compiler\n"
        "hint: prepare it with --set cross=true, or use --kind chroot\n");
  workspace.prepare("out", {"--set", "cross=true", "--set", "USE_CUDA=0"});
  const CliResult unknown = workspace.recipe("out", "chroot", "recipe", {"--root", "debain-11"});
  CHECK(unknown.exit_code == 2);
  CHECK(unknown.err == "torchpatch: error: --root: unknown system 'debain-11'\nhint: did you mean 'debian-11'?\n");
  CHECK(workspace.recipe("out", "chroot", "recipe", {"--root", workspace.path(".")}).exit_code == 7);
  workspace.write("unpacked/etc/os-release", "ID=debian\nVERSION_ID=\"11\"\n");
  workspace.prepare("other", {"--set", "python=3.9", "--force"});
  REQUIRE(workspace.recipe("other", "chroot", "by-root", {"--root", workspace.path("unpacked")}).exit_code == 0);
  CHECK_THAT(read_file(workspace.path("by-root/run.sh")), Contains("system=debian-11\n"));
  CHECK_THAT(
      read_file(workspace.path("by-root/README.md")),
      Contains("* debian-11 replaces the system of the image one: the result is for debian-11 and Python 3.9.\n"));
  workspace.write("unpacked/etc/rpi-issue", "Raspberry Pi reference 2021-10-30\n");
  REQUIRE(workspace.recipe("other", "chroot", "by-card", {"--root", workspace.path("unpacked")}).exit_code == 0);
  CHECK_THAT(read_file(workspace.path("by-card/run.sh")), Contains("system=raspios-11\n"));
  make_directories(workspace.path("linked/etc"));
  REQUIRE(symlink("/etc/os-release", workspace.path("linked/etc/os-release").c_str()) == 0);
  CHECK(workspace.recipe("out", "chroot", "by-link", {"--root", workspace.path("linked")}).exit_code == 7);
  for (const std::string kind : {"sysroot", "chroot", "container"}) {
    const CliResult python = workspace.recipe("out", kind, "recipe", {"--root", "debian-11"});
    CHECK(python.exit_code == 2);
    CHECK(python.err ==
          "torchpatch: error: the tree is for Python 3.5, 'debian-11' has 3.9\n"
          "hint: use a --root with Python 3.5; if the board has Python 3.9, prepare the tree with --set python=3.9\n");
  }
  CHECK_THAT(workspace.run({"recipe", workspace.path("out"), "--kind", "chroot"}).err,
             Contains("missing: --kind KIND and --output DIR, or --check DIR"));
  workspace.write("out/pytorch/setup.py", "# edited\n");
  const CliResult edited = workspace.recipe("out", "chroot", "recipe");
  CHECK(edited.exit_code == 1);
  CHECK_THAT(edited.out, Contains("changed 'pytorch/setup.py'"));
  CHECK_FALSE(file_exists(workspace.path("recipe")));
}

namespace {

/// A recipe for this machine's architecture, and a root of busybox in which "sh" is what the test says.
struct Building : Recipes {
  Building() {
    prepare("out", {"--set", "arch=" + own_arch()});
    REQUIRE(recipe("out", "chroot", "recipe").exit_code == 0);
    write("root/etc/os-release", "ID=ubuntu\nVERSION_ID=\"16.04\"\n");
    write("root/usr/local/sbin/dpkg-query", "#!/bin/busybox sh\necho installed\n");
    const ProgramResult made = shell(R"sh(
      set -e
      mkdir -p root/usr/bin root/usr/sbin root/bin
      busybox=$(command -v busybox)
      cp "$busybox" root/bin/busybox
      cp "$busybox" root/usr/bin/env
      for name in true rm mkdir cat sleep ln; do ln -s busybox "root/bin/$name"; done
      ldd "$busybox" | grep -o '/[^ ]*' | while read -r library; do
        mkdir -p "root${library%/*}"
        cp "$library" "root$library"
      done
      chmod +x root/usr/local/sbin/*)sh");
    INFO(made.err);
    REQUIRE(made.exit_code == 0);
  }

  /// What stands for the shell of the root: it runs as the builder does.
  void build_with(const std::string& script) const {
    write("root/usr/local/sbin/sh", "#!/bin/busybox sh\n" + script);
    REQUIRE(chmod(path("root/usr/local/sbin/sh").c_str(), 0755) == 0);
  }
  /// As root, or as what a namespace of users takes for root.
  ProgramResult build(const std::string& options = "--root root", const std::string& before = "") const {
    const std::string root = geteuid() == 0 ? "" : "unshare --map-root-user ";
    return shell(before + root + "sh recipe/run.sh out work " + options);
  }
  bool is_anything_mounted() const { return read_file("/proc/self/mounts").find(path("")) != std::string::npos; }
};

constexpr const char* kWheel = "mkdir -p /tree/dist && echo built >/tree/dist/torch-1.whl\n";

}  // namespace

TEST_CASE("recipe: what scikit-build-core builds is built natively alone") {
  const Recipes workspace;
  test::edit(workspace.upstream.catalog_directory() + "/releases/1.1.0.json", "\"build_tools\": {",
             "\"build_tools\": {\"scikit-build-core\": \">=1.0\", ");
  workspace.prepare("out");
  const CliResult chroot = workspace.recipe("out", "chroot", "recipe", {"--root", "debian-13"});
  CHECK(chroot.exit_code == 2);
  CHECK(chroot.err ==
        "torchpatch: error: release 1.1.0 is built by scikit-build-core, and debian-13 does not package a version that "
        "is new enough\nhint: use --kind native, and install scikit-build-core with pip\n");
  CHECK(workspace.recipe("out", "native", "recipe").exit_code == 0);
}

TEST_CASE("recipe: pip installs a newer CMake if the image's is older than the release accepts") {
  const Building workspace;
  test::edit(workspace.upstream.catalog_directory() + "/releases/1.1.0.json", "\"cmake\": \"<4\"",
             "\"cmake\": \">=3.18 <4\"");
  workspace.prepare("new", {"--set", "cmake=3.18.4", "--set", "arch=" + own_arch()});
  REQUIRE(workspace.shell("rm -rf out").exit_code == 0);
  workspace.prepare("out", {"--set", "cmake=3.16.3", "--set", "arch=" + own_arch()});
  const auto written = [&](const std::string& tree, const std::string& kind, const std::string& file) {
    REQUIRE(workspace.recipe(tree, kind, "recipe", {"--replace"}).exit_code == 0);
    return read_file(workspace.path("recipe/" + file));
  };
  CHECK_THAT(written("new", "container", "Containerfile"),
             Contains(" make ninja-build cmake ") && !Contains("pip install"));
  CHECK_THAT(written("out", "container", "Containerfile"),
             Contains(" make ninja-build && ") && Contains(" /venv && \\\n    python3 -m venv /tools && /tools/bin/pip "
                                                           "install --upgrade pip && /tools/bin/pip install "
                                                           "'cmake>=3.18,<4'\nENV PATH=/venv/bin:/tools/bin:$PATH "));
  CHECK_THAT(written("new", "native", "README.md"), !Contains("CMake is too old"));
  CHECK_THAT(written("out", "native", "README.md"),
             Contains("* The system's CMake is too old for this release: install `cmake>=3.18,<4` with pip (`--check` "
                      "prints the command).\n"));

  // --check of the native recipe reports what build.sh would refuse, and how to install it; no apt package helps.
  workspace.write("bin/cmake", "#!/bin/sh\necho cmake version 3.16.3\n");
  workspace.write("bin/dpkg-query", "#!/bin/sh\necho installed\n");
  const ProgramResult checked =
      workspace.shell("chmod +x bin/*; PATH=$PWD/bin:$PATH sh recipe/run.sh out work --check; echo $?");
  INFO(checked.err);
  CHECK_THAT(checked.out, Contains("\nFAIL cmake: found 3.16.3, need >=3.18 <4 (release 1.1.0)") &&
                              Contains(" -m pip install 'cmake>=3.18,<4'") &&
                              !Contains("apt-get install --yes cmake") && EndsWith("\n1\n"));

  // One that pip installed into the environment of PYTHON comes first.
  workspace.write("venv/pyvenv.cfg", "");
  workspace.write("venv/bin/cmake", "#!/bin/sh\necho cmake version 3.20.0\n");
  CHECK_THAT(workspace
                 .shell("ln -s /usr/bin/python3 venv/bin/; chmod +x venv/bin/cmake; PYTHON=venv/bin/python3 "
                        "PATH=$PWD/bin:$PATH sh recipe/run.sh out work --check")
                 .out,
             Contains("\nOK   cmake: found 3.20.0, need >=3.18 <4"));

  // In a root, pip brings it, too.
  REQUIRE(written("out", "chroot", "README.md").find("release: pip installs `cmake>=3.18,<4`.\n") != std::string::npos);
  workspace.build_with(concat("[ \"$1\" != -c ] || exec /bin/busybox sh \"$@\"\n", kWheel));
  workspace.write("root/usr/local/sbin/python3", R"sh(#!/bin/busybox sh
    if [ "$1" = -c ]; then echo /data; exit; fi
    mkdir -p "$3/bin"
    ln -s /usr/local/sbin/python3 /usr/local/sbin/pip "$3/bin/"
)sh");
  workspace.write("root/usr/local/sbin/pip", "#!/bin/busybox sh\necho \"$@\" >>/tree/pip\n");
  const ProgramResult built =
      workspace.build("--root root", "mkdir root/usr/local/bin; chmod +x root/usr/local/sbin/*; ");
  INFO(built.err);
  CHECK(built.exit_code == 0);
  CHECK(read_file(workspace.path("work/tree/pip")) == "install --upgrade pip\ninstall cmake>=3.18,<4\n");
  CHECK(std::filesystem::read_symlink(workspace.path("work/root-changes/usr/local/bin/cmake")) == "/data/cmake");
}

TEST_CASE("recipe: chroot builds in a copy of the tree, in a root that is only read, without a network") {
  const Building workspace;
  workspace.build_with(
      concat("[ -c /dev/null ] && [ -d /proc/self ] && [ ! -e /dev/sda ] && cat /proc/net/dev >/tree/devices\n"
             "echo changed >/etc/os-release\necho \"$@\" >/tree/arguments\n",
             kWheel));
  const std::string before = bytes_below(workspace.path("out"));
  const ProgramResult result = workspace.build();
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  CHECK_THAT(result.err, Contains("run.sh: built ") && Contains("/dist/torch-1.whl\n"));
  CHECK(read_file(workspace.path("work/dist/torch-1.whl")) == "built\n");
  CHECK(read_file(workspace.path("work/tree/arguments")) == "/tree/torchpatch/build.sh --online\n");
  CHECK(split(read_file(workspace.path("work/tree/devices")), '\n').size() == 4);  // a heading of two lines, lo
  CHECK(bytes_below(workspace.path("out")) == before);
  CHECK(read_file(workspace.path("root/etc/os-release")) == "ID=ubuntu\nVERSION_ID=\"16.04\"\n");
  CHECK_FALSE(workspace.is_anything_mounted());

  // A step of torch alone leaves no wheel.
  CHECK(workspace.shell("rm work/dist/* work/tree/dist/*; touch work/tree/dist/torch.log").exit_code == 0);
  workspace.build_with("echo \"$@\" >/tree/arguments\n");
  const ProgramResult step = workspace.build("--root root --skip python torch:configure --skip gcc");
  CHECK(step.exit_code == 0);
  CHECK_THAT(step.err, Contains("run.sh: done: torch:configure; the log is ") && Contains("/dist/torch.log\n"));
  CHECK(read_file(workspace.path("work/tree/arguments")) ==
        "/tree/torchpatch/build.sh --online torch:configure --skip python --skip gcc\n");
  CHECK_THAT(workspace.build("--root root torch:configure torch").err, Contains("the build wrote no wheel to '"));
  workspace.build_with(kWheel + std::string("echo \"$@\" >/tree/arguments\n"));

  // Again: it goes on in the same copy, and a source that was changed there is found.
  CHECK_THAT(workspace.build("--root root torch").err, Contains("run.sh: resuming in "));
  CHECK(read_file(workspace.path("work/tree/arguments")) == "/tree/torchpatch/build.sh --online torch\n");
  workspace.write("work/tree/pytorch/setup.py", "# edited\n");
  const ProgramResult edited = workspace.build();
  CHECK(edited.exit_code == 1);
  CHECK_THAT(edited.err, Contains("/tree' was changed: prepare the tree again\n"));
}

TEST_CASE("recipe: run.sh refuses what it was not written for, and touches nothing") {
  const Building workspace;
  workspace.build_with(kWheel);
  bool is_made = false;  // the test made WORK, or the checks of the whole copy refused
  const auto refuses = [&](const std::string& before, const std::string& options, int code, const std::string& error) {
    CAPTURE(before, options);
    const ProgramResult result = workspace.build(options, before);
    CHECK(result.exit_code == code);
    CHECK_THAT(result.err, Contains(error));
    CHECK_FALSE(file_exists(workspace.path("work/tree")));
    CHECK(file_exists(workspace.path("work")) == is_made);
    CHECK_FALSE(workspace.is_anything_mounted());
  };
  refuses("", "--rot root", 2, "run.sh: error: unknown option '--rot'\n\nUsage: run.sh OUT WORK [OPTION…]");
  refuses("", "--root", 2, "run.sh: error: --root needs a value\n");
  refuses("", "--root nowhere", 1, "run.sh: error: 'nowhere' not found\n");
  refuses("", "a b", 2, "run.sh: error: unexpected argument 'a'\n");
  for (const char* place : {"out/work", "'w x'", "/"}) {
    CAPTURE(place);
    const ProgramResult result = workspace.shell(concat("sh recipe/run.sh out ", place, " --root root"));
    CHECK(result.exit_code == 1);
    CHECK_THAT(result.err, StartsWith("run.sh: error: WORK "));
  }
  CHECK_FALSE(file_exists(workspace.path("out/work")));
  CHECK_FALSE(file_exists(workspace.path("w x")));
  is_made = true;
  refuses("rm -rf work; mkdir work; touch work/mine; ", "--root root", 1,
          "is neither empty nor a work directory of this recipe: choose another one\n");
  refuses("rm -rf work; echo x >>out/pytorch/setup.py; ", "--root root", 1, "' was changed: prepare the tree again\n");
  refuses("rm -rf work; truncate -s -2 out/pytorch/setup.py; touch out/pytorch/sitecustomize.py; ", "--root root", 1,
          "' differs from what was prepared: extra: pytorch/sitecustomize.py (full log: ");
  is_made = false;
  refuses("rm -rf work out/pytorch/sitecustomize.py; echo ' ' >>out/torchpatch/manifest.json; ", "--root root", 1,
          "' is not the tree this recipe was written for (PyTorch 1.1.0 for small (one)): write a recipe for it with "
          "'torchpatch recipe'\n");
}

TEST_CASE("recipe: run.sh refuses a root of another machine or system") {
  const Building workspace;
  workspace.build_with(kWheel);
  CHECK_THAT(workspace.build("--root root", "echo ID=debian >root/etc/os-release; ").err,
             Contains("/root': found debian, need ubuntu-16.04 (--any-system accepts it)\n"));
  CHECK_THAT(workspace.build("--root root", "echo VERSION_ID=11 >>root/etc/os-release; echo >root/etc/rpi-issue; ").err,
             Contains("/root': found raspios-11, need ubuntu-16.04"));
  CHECK_FALSE(file_exists(workspace.path("work")));
  CHECK(workspace.build("--root root --any-system").exit_code == 0);
  // e_machine of another architecture.
  const ProgramResult foreign =
      workspace.build("--root root --any-system",
                      R"(rm root/usr/bin/env; printf '\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\2\0\363\0' >root/usr/bin/env; )");
  CHECK(foreign.exit_code == 1);
  CHECK_THAT(foreign.err,
             Contains(concat("/root' is a root for an unknown machine, need ", own_arch(), " (the board)\n")));
  CHECK_FALSE(workspace.is_anything_mounted());
}

TEST_CASE("recipe: everything that is missing is listed at once, and --check makes nothing") {
  const Building workspace;
  workspace.build_with(kWheel);
  // This machine's tools without two of them, and a root of another machine and system.
  const ProgramResult result = workspace.build(
      "--root root --check",
      "echo ID=debian >root/etc/os-release; rm root/usr/bin/env; "
      R"(printf '\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\2\0\363\0' >root/usr/bin/env; )"
      "sed -i \"s|PATH=/usr/local/sbin:.*:/bin HOME|PATH=$PWD/tools HOME|\" recipe/run.sh; mkdir tools; for tool in sh "
      "unshare flock sha256sum dirname readlink "
      "id stat awk cat od tr head sed sort cut paste uname setarch; do ln -s \"$(command -v $tool)\" tools/; done; ");
  CHECK(result.exit_code == 1);
  CHECK(split(result.err, '\n').size() == 5);
  CHECK_THAT(result.err,
             StartsWith("run.sh: error: 'capsh' not found: apt-get install libcap2-bin\n"
                        "run.sh: error: 'perl' not found: apt-get install perl-base\n"
                        "run.sh: error: '") &&
                 Contains(concat("/root' is a root for an unknown machine, need ", own_arch(), " (the board)\n")) &&
                 Contains("/root': found debian, need ubuntu-16.04 "));
  CHECK_FALSE(file_exists(workspace.path("work")));
}

TEST_CASE("recipe: --check says when nothing is missing") {
  const Building workspace;
  workspace.build_with(kWheel);
  const ProgramResult result = workspace.build("--root root --check");
  CHECK(result.exit_code == 0);
  CHECK(result.err == "run.sh: nothing is missing\n");
  CHECK_FALSE(file_exists(workspace.path("work")));
}

TEST_CASE("recipe: a root whose links lead out of it is refused before anything is written") {
  const Building workspace;
  workspace.build_with(kWheel);
  workspace.write("mine/hosts", "precious\n");
  const ProgramResult linked =
      workspace.build("--root root", "mkdir mine/sbin; rm -rf root/usr/sbin; ln -s $PWD/mine/sbin root/usr/sbin; ");
  CHECK(linked.exit_code == 1);
  CHECK_THAT(linked.err, Contains("/root/usr/sbin' is a link, which ubuntu-16.04 does not have\n"));
  const ProgramResult file = workspace.build("--root root", "rm root/usr/sbin; ln -s $PWD/mine/hosts root/etc/hosts; ");
  INFO(file.err);
  CHECK(file.exit_code == 0);
  CHECK(read_file(workspace.path("mine/hosts")) == "precious\n");
}

TEST_CASE("recipe: a root has no power over the machine, though what runs in it is root") {
  const Building workspace;
  workspace.build_with(concat(kWheel, "{ [ ! -t 1 ] && [ ! -t 2 ]; } || echo output >>/tree/powers\n",
                              "printf 'a\\033]0;title\\007b\\n'; printf 'c\\033[8md\\n' >&2\n"));
  REQUIRE(workspace.shell("busybox mknod root/node c 1 5 && cp -p root/bin/busybox root/own && chmod 4755 root/own")
              .exit_code == 0);
  // Each line of /tree/powers names something that root in a root could do to the machine.
  workspace.write("root/usr/local/sbin/dpkg-query", R"sh(#!/bin/busybox sh
try() { if busybox "$@" >/dev/null 2>&1; then echo "$*"; fi; }
{
  try mknod /made c 1 3
  try mount -t tmpfs none /tmp
  try chroot / /bin/busybox true
  try ls /proc/1/root/bin
  try head -c 1 /node
  try mount -o remount,rw /recipe
  (: >>/proc/sys/kernel/core_pattern) 2>/dev/null && echo core_pattern
  (: >/dev/tty) 2>/dev/null && echo terminal
  (: >/recipe/run.sh) 2>/dev/null && echo recipe
} >/tree/powers
echo installed
)sh");
  REQUIRE(chmod(workspace.path("root/usr/local/sbin/dpkg-query").c_str(), 0755) == 0);
  const ProgramResult result =
      workspace.shell("script -q -e -c 'sh recipe/run.sh out work --root root' /dev/null </dev/null");
  INFO(result.out << result.err);
  CHECK(result.exit_code == 0);
  CHECK(read_file(workspace.path("work/tree/powers")).empty());
  CHECK_THAT(result.out, Contains("a]0;titleb") && Contains("c[8md") && !Contains("\033"));
  // Nor has it the caller's keys: add_key, request_key, keyctl.
  const ProgramResult keys = workspace.shell(R"sh(
    sed '$d' recipe/run.sh >functions; . ./functions
    first=217; [ "$(uname -m)" != x86_64 ] || first=248
    try='for my $call (0 .. 2) { print syscall($ARGV[0] + $call, 0, 0, 0, 0, 0) < 0 ? "$!\n" : "done\n" }'
    perl -e "$try" "$first"; perl -e "$without_keys" perl -e "$try" "$first"; perl -e "$without_keys" id -u)sh");
  INFO(keys.err);
  const std::string none = "Function not implemented\n";
  CHECK_THAT(keys.out, !StartsWith(none) && Contains(concat("\n", none, none, none, std::to_string(geteuid()))));
}

TEST_CASE("recipe: a WORK that somebody else could have filled, or could change, is refused") {
  const Building workspace;
  workspace.build_with(kWheel);
  REQUIRE(workspace.build().exit_code == 0);
  // A root's set-user-id programs lie below it.
  CHECK(workspace.shell("stat -c %a work").out == "700\n");
  const std::string moved =
      "/work' was moved, or created by another user or on another machine: choose an empty directory\n";
  CHECK_THAT(workspace.build("--root root", "cp -a work copy; rm -r work; mv copy work; ").err, Contains(moved));
  for (const std::string place : {"work", "."}) {
    const ProgramResult open =
        workspace.build("--root root", concat("rm -rf work; mkdir work; chmod o+w ", place, "; "));
    CHECK_THAT(open.err, Contains("run.sh: error: anyone may write to '"));
    CHECK(workspace.shell(concat("chmod o-w ", place, "; ls work; rm -r work")).out.empty());
  }
  CHECK(workspace.build("--root root", "mkdir work; ").exit_code == 0);
  if (geteuid() != 0) return;  // the owner of a directory is root's to change
  CHECK_THAT(workspace.build("--root root", "chown 1234 work/recipe; ").err, Contains(moved));
  const std::string given = "rm -rf work; mkdir work; chown 1234 work; ";
  CHECK_THAT(workspace.build("--root root", given).err,
             Contains("/work' belongs to user 1234, who could change what root does there"));
  CHECK(workspace.build("--root root", given + "export SUDO_UID=1234; ").exit_code == 0);
  CHECK(workspace.shell("stat -c %u work/dist/torch-1.whl").out == "1234\n");
}

TEST_CASE("recipe: what a build changes can be written, though OUT is read only") {
  const Building workspace;
  workspace.build_with(kWheel);
  CHECK(workspace.build("--root root", "chmod -R a-w out; ").exit_code == 0);
  CHECK(workspace.shell("chmod -R u+w out; find work/tree ! -type l ! -perm -u+w").out.empty());
}

TEST_CASE("recipe: versions of a stranger's libraries are read from files within its root alone") {
  const Recipes workspace;
  workspace.prepare("out", {"--set", "arch=aarch64", "--set", "cross=true", "--set", "USE_CUDA=0"});
  REQUIRE(workspace.recipe("out", "sysroot", "recipe").exit_code == 0);
  const ProgramResult result = workspace.shell(R"sh(
    sed '$d' recipe/run.sh >functions; . ./functions
    inside() { shift 2; timeout 20 "$@" 2>&1; }   # the root is the test's directory
    work=$PWD top=$PWD/board; mkdir -p board/lib out-of-it
    newest_of() { newest GLIBC_ libc.so.6 "$top" "$top/lib"; echo "$1 ${PIPESTATUS[0]}"; }
    library=board/lib/libc.so.6
    echo GLIBC_2.9 GLIBC_2.27 >board/lib/libc-2.27.so; ln -s libc-2.27.so "$library"; newest_of honest
    echo GLIBC_2.99 >out-of-it/libc; ln -sf ../../out-of-it/libc "$library"; newest_of out
    ln -sf /dev/zero "$library"; newest_of device
    rm "$library"; mkfifo "$library"; newest_of pipe
    rm "$library"; truncate -s 1T "$library"; newest_of sparse)sh");
  INFO(result.err);
  CHECK(result.out == "GLIBC_2.27\nhonest 0\nout 0\ndevice 0\npipe 0\nsparse 0\n");
}

TEST_CASE("recipe: with CUDA, the root has non-free packages and none of another root") {
  const Recipes workspace;
  workspace.prepare(
      "out", {"--set", "cross=true", "--set", "cuda=11.2", "--set", "python=3.9", "--set", "USE_CUDNN=0", "--force"});
  REQUIRE(workspace.recipe("out", "sysroot", "recipe", {"--cuda", "debian-11.2"}).exit_code == 0);
  const ProgramResult result = workspace.shell(R"sh(
    sed '$d' recipe/run.sh >functions; . ./functions
    dpkg() { echo amd64; }
    inside() { shift 2; "${@/#\/etc/$work/etc}"; }   # the root is the test's directory
    work=$PWD; mkdir -p etc/apt
    printf 'deb http://example.org/debian bullseye main\n' >etc/apt/sources.list
    name_components; name_components; cat etc/apt/sources.list
    check_bootstrap() { :; }
    root_directory=$PWD/board; check_machine)sh");
  CHECK(result.out == "deb http://example.org/debian bullseye main contrib non-free\n");
  CHECK(result.err == "run.sh: error: --root: CUDA needs the headers and libraries of debian-11: omit --root\n");
}

TEST_CASE("recipe: nothing of the caller's environment reaches what runs as root") {
  const Building workspace;
  workspace.build_with(concat("/usr/bin/env >/tree/environment\n", kWheel));
  const ProgramResult result = workspace.build("--root root",
                                               "export work=/ out=/ root=/ here=/ ENV=/nowhere PYTHONPATH=/evil "
                                               "LD_LIBRARY_PATH=/evil CDPATH=/ IFS=k MAX_JOBS=3; ");
  INFO(result.err);
  CHECK(result.exit_code == 0);
  const std::string environment = read_file(workspace.path("work/tree/environment"));
  CHECK_THAT(environment, Contains("MAX_JOBS=3\n") && !Contains("evil") && !Contains("nowhere") && !Contains("work=/"));
}

TEST_CASE("recipe: killed at any step, run.sh leaves no mount and no process") {
  const Building workspace;
  workspace.build_with("echo x >/tree/started; exec sleep 1000.25\n");
  for (const std::string signal : {"TERM", "INT", "HUP", "KILL"}) {
    CAPTURE(signal);
    const std::string root = geteuid() == 0 ? "" : "unshare --map-root-user ";
    const ProgramResult result =
        workspace.shell("rm -f work/tree/started; " + root +
                        "env --default-signal=INT setsid sh recipe/run.sh out work --root root & child=$!; "
                        "until [ -e work/tree/started ]; do sleep 0.1; done; kill -" +
                        signal + R"sh( $child; wait $child; echo "status $?"
        for i in $(seq 80); do pgrep -f '[s]leep 1000.25' >/dev/null || break; sleep 0.1; done
        pgrep -f '[s]leep 1000.25' && echo "left" ; exit 0)sh");
    INFO(result.err);
    CHECK_THAT(result.out, !Contains("left") && Contains("status 1"));
    CHECK_FALSE(workspace.is_anything_mounted());
  }
}

TEST_CASE("recipe: one run in WORK at a time, and a killed one is in nobody's way") {
  const Building workspace;
  workspace.build_with(concat(kWheel, "echo x >/tree/started\nwhile [ -e /tree/hold ]; do sleep 0.1; done\n"));
  const std::string root = geteuid() == 0 ? "" : "unshare --map-root-user ";
  const ProgramResult result = workspace.shell(concat("root='", root, R"sh('
    $root sh recipe/run.sh out work --root root 2>&1 | tail -n 1 | sed "s|$PWD|TMP|g"
    begin() { rm work/tree/started; : >work/tree/hold; $root sh recipe/run.sh out work --root root >/dev/null 2>&1 & first=$!
      until [ -e work/tree/started ]; do sleep 0.05; done; }
    second() { $root sh recipe/run.sh out work --root root 2>&1 | tail -n 1 | sed "s/ $first\b/ FIRST/; s|$PWD|TMP|g"; }
    begin; second; kill -KILL $first; sleep 2; rm work/tree/hold; second
    begin; second; rm work/tree/hold; wait $first; echo $?)sh"));
  INFO(result.err);
  const std::string place = "TMP/work", built = concat("run.sh: built ", place, "/dist/torch-1.whl\n");
  const std::string in_use =
      concat("run.sh: error: '", place, "' is in use by process FIRST: wait until it has ended, or end it\n");
  CHECK(result.out == concat(built, in_use, built, in_use, "0\n"));
}

TEST_CASE("recipe: the command that run.sh prints to somebody who is not root is the one to run") {
  const Building workspace;
  workspace.build_with(concat("echo \"$@\" >/tree/arguments\n", kWheel));
  const std::string user = geteuid() == 0 ? "unshare --user --map-user=1000 " : "";  // reaches what its owner does
  const ProgramResult refused =
      workspace.shell(user + "sh recipe/run.sh out work --root root --skip \"it's a check\" torch");
  const std::string lead = "run.sh: error: mounts and chroot need root: sudo ";
  REQUIRE_THAT(refused.err, StartsWith(lead));
  CHECK_FALSE(file_exists(workspace.path("work")));
  const ProgramResult result =
      workspace.shell((geteuid() == 0 ? "" : "unshare --map-root-user ") + refused.err.substr(lead.size()));
  INFO(refused.err << result.err);
  CHECK(result.exit_code == 0);
  CHECK(read_file(workspace.path("work/tree/arguments")) ==
        "/tree/torchpatch/build.sh --online torch --skip it's a check\n");
}

TEST_CASE("recipe: no link that a build left in the place of a wheel is followed, nor one in its way") {
  const Building workspace;
  workspace.write("mine/secret", "precious\n");
  const std::string secret = workspace.path("mine/secret");
  const auto refuses = [&](const std::string& script, const std::string& error) {
    CAPTURE(script);
    workspace.build_with(script);
    const ProgramResult result = workspace.build();
    CHECK(result.exit_code == 1);
    CHECK_THAT(result.err, Contains(error));
    for (const std::string& name : list_files_below(workspace.path("work/dist")))
      CHECK_THAT(read_file(workspace.path("work/dist/" + name)), !Contains("precious"));
    CHECK(workspace.shell("rm -rf work/tree/dist work/dist; mkdir work/dist").exit_code == 0);
  };
  const std::string file_error = "/tree/dist/torch-1.whl' is not a regular file: not copied\n";
  refuses(concat("mkdir /tree/dist && ln -s ", secret, " /tree/dist/torch-1.whl\n"), file_error);
  refuses("mkdir -p /tree/dist/torch-1.whl\n", file_error);
  refuses(concat("ln -s ", workspace.path("mine"), " /tree/dist\n"), "/tree/dist' is a link, which no build creates\n");
  refuses(concat(kWheel, "ln -s ", secret, " /tree/dist/torch.log\n"),
          "/tree/dist/torch.log' is not a regular file: not copied\n");
  // What is in the way of a wheel is replaced.
  workspace.build_with(kWheel);
  REQUIRE(symlink(secret.c_str(), workspace.path("work/dist/torch-1.whl").c_str()) == 0);
  CHECK(workspace.build().exit_code == 0);
  CHECK(read_file(workspace.path("work/dist/torch-1.whl")) == "built\n");
  CHECK(workspace.shell("rm -rf work/dist; ln -s ../mine work/dist").exit_code == 0);
  CHECK_THAT(workspace.build().err, Contains("dist' is a link or special file, which no recipe creates: remove it"));
  CHECK(bytes_below(workspace.path("mine")) == "secret\nprecious\n");
}

TEST_CASE("recipe: nothing is read from what never ends, nor written through a link in WORK") {
  const Building workspace;
  workspace.build_with(kWheel);
  // What a stranger's root says of itself is read within it.
  REQUIRE(
      workspace
          .shell("mkdir -p root/usr/lib; mv root/etc/os-release root/usr/lib/; ln -s ../usr/lib/os-release root/etc/")
          .exit_code == 0);
  CHECK(workspace.build().exit_code == 0);
  REQUIRE(workspace
              .shell("rm root/etc/os-release; mv root/usr/lib/os-release kept; mkfifo root/etc/os-release; rm -rf work")
              .exit_code == 0);
  CHECK_THAT(workspace.build().err, Contains("root': found an unknown system, need ubuntu-16.04"));
  REQUIRE(workspace.shell("rm root/etc/os-release; ln -s ../../kept root/etc/os-release").exit_code == 0);
  CHECK_THAT(workspace.build().err, Contains("root': found an unknown system, need ubuntu-16.04"));
  // Of a file without end the first 64 KiB are read.
  REQUIRE(
      workspace.shell("rm root/etc/os-release; (yes '#' | head -c 65536; cat kept) >root/etc/os-release").exit_code ==
      0);
  CHECK_THAT(workspace.build().err, Contains("root': found an unknown system, need ubuntu-16.04"));
  REQUIRE(workspace.shell("rm root/etc/os-release; mv kept root/usr/lib/os-release").exit_code == 0);
  // Nor the tree: OUT with a FIFO in the place of a file.
  REQUIRE(workspace.shell("cp -a out fifo; rm fifo/pytorch/setup.py; mkfifo fifo/pytorch/setup.py").exit_code == 0);
  const std::string as_root = geteuid() == 0 ? "" : "unshare --map-root-user ";
  CHECK_THAT(workspace.shell(as_root + "timeout 60 sh recipe/run.sh fifo work2 --root root").err,
             Contains("setup.py' is not a regular file, or larger than 2 GiB"));
  workspace.write("precious", "precious\n");
  CHECK(workspace.build().exit_code == 0);
  REQUIRE(workspace.shell("rm -rf work/tree; ln -sf ../precious work/check.log").exit_code == 0);
  CHECK_THAT(workspace.build().err,
             Contains("check.log' is a link or special file, which no recipe creates: remove it"));
  CHECK(read_file(workspace.path("precious")) == "precious\n");
}

TEST_CASE(
    "recipe: packages whose installation was killed are repaired first, and the caller's proxies reach apt alone") {
  const Building workspace;
  workspace.build_with(concat("/usr/bin/env >/tree/environment\n", kWheel));
  const std::string log =
      "#!/bin/busybox sh\necho \"${0##*/} $* by $http_proxy $https_proxy $no_proxy\" >>/tree/packages\n";
  workspace.write("root/usr/local/sbin/dpkg", log);
  workspace.write("root/usr/local/sbin/apt-get",
                  log +
                      "case $* in *--no-install*) [ ! -e /tree/hold ] || sleep 1000.75 ;; esac\n"
                      "case $* in *--no-install*) echo >/installed ;; esac\n");
  // Half of them are installed where it was killed, as far as dpkg-query knows all.
  workspace.write("root/usr/local/sbin/dpkg-query",
                  "#!/bin/busybox sh\n[ -e /installed ] && echo installed || echo unpacked\n");
  const std::string root = geteuid() == 0 ? "" : "unshare --map-root-user ";
  const ProgramResult result = workspace.shell(concat("root='", root, R"sh('
    chmod +x root/usr/local/sbin/*
    $root sh recipe/run.sh out work --root root >/dev/null 2>&1
    rm -f work/root-changes/installed; : >work/tree/packages; : >work/tree/hold
    export HTTP_PROXY=http://upper https_proxy=http://lower HTTPS_PROXY=http://other NO_PROXY=localhost
    $root sh recipe/run.sh out work --root root >/dev/null 2>&1 & first=$!
    until grep -q -e --no-install work/tree/packages; do sleep 0.05; done
    kill -KILL $first; sleep 2; rm work/tree/hold; echo killed >>work/tree/packages
    for i in 1 2; do $root sh recipe/run.sh out work --root root >/dev/null; done
    sed 's/ ca-certificates .* by/ … by/' work/tree/packages)sh"));
  INFO(result.err);
  const std::string proxies = " by http://upper http://lower localhost\n";
  CHECK(result.out == concat("apt-get update -qq", proxies, "apt-get install -qq --yes --no-install-recommends …",
                             proxies, "killed\ndpkg --configure -a", proxies, "apt-get update -qq", proxies,
                             "apt-get install -qq --yes --fix-broken", proxies, "apt-get update -qq", proxies,
                             "apt-get install -qq --yes --no-install-recommends …", proxies));
  CHECK_THAT(read_file(workspace.path("work/tree/environment")), !Contains("http"));
}

TEST_CASE("recipe: the last of the runs that use an emulator takes its registration back, and nobody else's") {
  const Recipes workspace;
  const std::string arch = own_arch() == "aarch64" ? "x86_64" : "aarch64", qemu = "qemu-" + arch;
  workspace.prepare("out", {"--set", "arch=" + arch});
  REQUIRE(workspace.recipe("out", "chroot", "recipe").exit_code == 0);
  const ProgramResult result = run_program({{"unshare", "--map-root-user", "--mount", "bash", "-c", R"sh(
    mount -t binfmt_misc none /proc/sys/fs/binfmt_misc || exit 77
    cp /bin/true "$1-static" && PATH=$PWD:$PATH
    sed '$d' recipe/run.sh >functions
    entry=/proc/sys/fs/binfmt_misc/torchpatch-${1#qemu-}
    state() { if [ -e "$entry" ]; then echo "$1: registered"; else echo "$1: none"; fi; }
    cat >use <<'END'
      . ./functions
      needs_emulator() { true; }
      supervise sh -c ': >"$0"; while [ -e hold ]; do sleep 0.05; done' "$NAME"
END
    begin() { NAME=$1 sh use 2>"$1.err" & eval "$1=$!"; until [ -e "$1" ]; do sleep 0.05; done; cat "$1.err"; }
    : >hold; begin one; begin two; begin three; state three
    kill -TERM $one; wait $one; state 'one ended'
    pkill -KILL -P $two; kill -KILL $two; state 'two killed'
    kill -TERM $three; wait $three; state 'three ended'
    begin four; kill -KILL $four
    for i in $(seq 100); do [ ! -e "$entry" ] || sleep 0.1; done; state 'four killed'
    begin five; pkill -KILL -P $five; kill -KILL $five; state 'five killed with what watched it'
    begin six; rm hold; wait $six; state 'six ended'
    printf ':%s:M::\\x7fELFxyz::%s:F\n' "$1" "$PWD/$1-static" >/proc/sys/fs/binfmt_misc/register
    begin seven; state 'seven began'; wait $seven; [ -e "/proc/sys/fs/binfmt_misc/$1" ] && echo 'kept'
    grep interrupted three.err)sh",
                                             "sh", qemu},
                                            {{"PATH", "/usr/sbin:/usr/bin:/sbin:/bin"}, {"LC_ALL", "C"}},
                                            workspace.path(""),
                                            std::chrono::seconds(60)});
  if (result.exit_code == 77) return;  // before Linux 6.7 registrations are the whole machine's
  INFO(result.err);
  const std::string registering =
      concat("run.sh: registering qemu for ", arch, " until the last run that uses it ends\n");
  CHECK(result.out == concat(registering,
                             "three: registered\none ended: registered\ntwo killed: registered\nthree ended: none\n",
                             registering, "four killed: none\n", registering,
                             "five killed with what watched it: registered\nsix ended: none\nseven began: none\nkept\n"
                             "run.sh: interrupted; run it again to resume\n"));
}

TEST_CASE("recipe: options keep words with blanks, and none of a script's own variables comes from the environment") {
  const Recipes workspace;
  workspace.prepare("out", {"--set", "arch=" + own_arch()});
  for (const std::string kind : {"native", "container"}) REQUIRE(workspace.recipe("out", kind, kind).exit_code == 0);
  workspace.write("an engine/docker", "#!/bin/sh\nfor word in \"$@\"; do echo \"<$word>\"; done\n");
  workspace.write("bin/dpkg-query", "#!/bin/sh\necho installed\n");
  const ProgramResult result = workspace.shell(R"sh(
    chmod +x */docker bin/*
    export $(grep -ohE '(^|[ ;({"$])[a-z][a-z0-9_]*=' */run.sh | grep -oE '[a-z][a-z0-9_]*=' | sort -u | sed 's|$|/evil|')
    sh container/run.sh out c --engine "$PWD/an engine/docker" --build-arg "CXXFLAGS=-O2 -mcpu=it's *" --build-arg MAX_JOBS=2 --skip 'a b' --skip c | grep -A1 -x '<--build-arg>' | grep -v -x -e '<--build-arg>' -e --
    PATH=$PWD/bin:$PATH sh native/run.sh out n --skip 'a b' 2>&1 | grep -o "error: .*'")sh");
  INFO(result.err);
  CHECK(result.out ==
        "<BASE=ubuntu:xenial>\n<SKIP= --skip 'a b' --skip c>\n<CXXFLAGS=-O2 -mcpu=it's *>\n<MAX_JOBS=2>\n"
        "error: unknown check 'a b'\n");
}

TEST_CASE(
    "recipe: container builds the Compute Library for a plan with oneDNN's kernels of it, if its sources are there") {
  const Recipes workspace;
  workspace.prepare("out", {"--set", "arch=" + own_arch(), "--set", "USE_MKLDNN_ACL=1"});
  REQUIRE(workspace.recipe("out", "container", "recipe").exit_code == 0);
  const std::string stages = read_file(workspace.path("recipe/Containerfile"));
  CHECK_THAT(stages, Contains("\nARG ACL=yes\nCOPY acl /acl\n"));
  CHECK_THAT(stages, Contains(" && cp build/libarm_compute*.so /acl-runtime/; \\\n"));
  CHECK_THAT(stages, Contains("\nCOPY --from=libs /acl-runtime/ /usr/local/lib/\nRUN ldconfig\n"));
  workspace.write("docker", "#!/bin/sh\necho built\n");
  const auto check = [&](const std::string& more) {
    const ProgramResult result = workspace.shell(
        "chmod +x docker; sh recipe/run.sh --check out work --engine \"$PWD/docker\" " + more + "; echo $?");
    return result.err + result.out;
  };
  const std::string lacking = "run.sh: error: the Compute Library's sources not found in ";
  CHECK_THAT(check(""), StartsWith(lacking));
  CHECK(check("--build-arg ACL=no").find(lacking) == std::string::npos);
  workspace.write("work/acl/SConstruct", "");
  CHECK(check("").find(lacking) == std::string::npos);
}

TEST_CASE("recipe: container asks for no network as far as the engine knows it, and keeps stages") {
  const Recipes workspace;
  workspace.prepare("out", {"--set", "arch=" + own_arch()});
  REQUIRE(workspace.recipe("out", "container", "recipe").exit_code == 0);
  const auto built_with = [&](const std::string& engine, const std::string& version) {
    const std::string place = concat(engine, version), file = place + "/" + engine;
    workspace.write("work-" + place + "/acl/SConstruct", "");  // what the recipe says to bring
    workspace.write(file, concat("#!/bin/sh\n[ \"$1\" != --version ] || exec echo ", engine, " version ", version,
                                 " and more\necho \"$BUILDAH_LAYERS $*\"\n"));
    const ProgramResult result = run_program(
        {{"bash", "-c", concat("chmod +x ", file, " && sh recipe/run.sh out work-", place, " --engine $PWD/", file)},
         {{"PATH", "/usr/bin:/bin"}, {"LC_ALL", "C"}},
         workspace.path(""),
         std::chrono::seconds(60)});
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    CHECK_THAT(result.out,
               StartsWith("true build --file ") && Contains("--build-arg BASE=ubuntu:xenial --target runtime"));
    const std::string written = read_file(workspace.path(concat("work-", place, "/Containerfile")));
    const bool is_cut_off = written.find("\nRUN --network=none ") != std::string::npos;
    CHECK((result.err.find("cannot cut off a build's network") == std::string::npos) == is_cut_off);
    return is_cut_off;
  };
  CHECK(!built_with("buildah", "1.28.2"));
  CHECK(built_with("buildah", "1.33.7"));
  CHECK(!built_with("podman", "4.3.1"));
  CHECK(built_with("podman", "4.10"));
  CHECK(built_with("docker", "20.10.24"));
}

TEST_CASE("recipe: the tags of the Compute Library are those of the known issue's page") {
  const std::string page = read_file(test::source_directory() + "/known_issues/onednn-acl.md");
  std::size_t rows = 0;
  for (const std::string& line : split(page.substr(page.find("| release | oldest accepted | tag |")), '\n')) {
    const std::vector<std::string> cells = split(line, '|');
    if (cells.size() != 5) {
      if (rows > 0) break;
      continue;
    }
    const std::string tag(trim(cells[3]));
    for (const std::string& text : split(cells[1], ','))
      if (const std::optional<Version> release = Version::parse(trim(text))) {
        CHECK(record::acl_tag(*release) == (tag == "not known" ? "" : tag));
        ++rows;
      }
  }
  CHECK(rows == 12);

  // And so are the options that it is built with.
  const auto options = [](std::string text) {
    text = text.substr(text.find("scons -j"));
    text = text.substr(0, text.find(" fixed_format_kernels=1"));
    replace_all(text, "\\\n", " ");
    std::vector<std::string> words = split(text, ' ');
    std::erase(words, "");
    return words;
  };
  CHECK(options(page) == options(read_file(test::source_directory() + "/src/record/recipe/Containerfile")));
}
