// SPDX-License-Identifier: BSD-3-Clause
/// build.sh of a release that scikit-build-core builds, run for real in a tree of that shape: a setup.py that refuses,
/// CMake, a compiler, and a stand-in for Python's build and scikit-build-core.
#include <cstdlib>

#include "catalog/load_catalog.h"
#include "plan/make_plan.h"
#include "record/tree_scripts.h"
#include "support/catch.h"
#include "support/file.h"
#include "support/program.h"
#include "support/source_directory.h"
#include "support/text.h"

using namespace torchpatch;
namespace {

/// `python -m build` with scikit-build-core behind it: what both do with the settings that build.sh passes. It notes
/// each call.
constexpr const char* kBuildModule = R"py(
import os, subprocess, sys, tempfile, tomllib, zipfile
options, settings, outdir = [], {}, "dist"
words = iter(sys.argv[1:])
for word in words:
    if word.startswith("--config-setting="):
        name, value = word.split("=", 1)[1].split("=", 1)
        settings[name] = value
    elif word == "--outdir":
        outdir = next(words)
    else:
        options.append(word)
if options != ["--wheel", "--no-isolation", "--skip-dependency-check"]:
    sys.exit("unknown options: %s" % options)
project = tomllib.load(open("pyproject.toml", "rb"))
if project["build-system"]["build-backend"] != "scikit_build_core.build":
    sys.exit("another backend")
directory = project["tool"]["scikit-build"]["build-dir"]
subprocess.run(["cmake", "-S", ".", "-B", directory, "-DCMAKE_BUILD_TYPE=Release"], check=True)
tool = settings.get("build.tool-args")
subprocess.run(["cmake", "--build", directory] + (["--", tool] if tool else []), check=True)
with tempfile.TemporaryDirectory() as place:
    part = settings.get("install.components")
    install = ["cmake", "--install", directory, "--prefix", os.path.join(place, "torch")]
    subprocess.run(install + (["--component", part] if part else []), check=True)
    os.makedirs(outdir, exist_ok=True)
    with zipfile.ZipFile(os.path.join(outdir, "torch-2.14.1-py3-none-any.whl"), "w") as wheel:
        wheel.write("torch/__init__.py", "torch/__init__.py")
        for above, _, names in os.walk(place):
            for name in names:
                path = os.path.join(above, name)
                wheel.write(path, os.path.relpath(path, place))
    if not place.startswith(os.path.abspath(directory)):
        sys.exit("large files would lie in " + place)
)py";

constexpr const char* kProject = R"toml([build-system]
requires = ["scikit-build-core>=1.0", "numpy"]
build-backend = "scikit_build_core.build"
[project]
name = "torch"
version = "2.14.1"
[tool.scikit-build]
build-dir = "build"
)toml";

constexpr const char* kSetup = R"py(import sys
sys.exit("error: `python setup.py %s` is deprecated: use python -m build" % sys.argv[1])
)py";

/// What compiles counts itself in compiled.log.
constexpr const char* kCMakeLists = R"cmake(cmake_minimum_required(VERSION 3.5)
project(Torch C)
set(USE_CUDA ON CACHE STRING "Use CUDA")
if(DEFINED ENV{USE_CUDA})
  set(USE_CUDA "$ENV{USE_CUDA}" CACHE STRING "From environment" FORCE)
endif()
add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/generated.c
  COMMAND sh -c "echo x >>${CMAKE_SOURCE_DIR}/compiled.log; echo 'int torch(void) { return 1; }' >${CMAKE_BINARY_DIR}/generated.c"
  VERBATIM)
add_library(torch_cpu SHARED ${CMAKE_BINARY_DIR}/generated.c)
install(TARGETS torch_cpu LIBRARY DESTINATION lib)
)cmake";

class Site {
 public:
  explicit Site(const std::vector<PlannedStep>& steps = {}) {
    const Catalog catalog = catalog::load_catalog({{"shipped", test::source_directory()}});
    const Plan plan = plan::make_plan(catalog, "2.14.1", "rpi5", "", {});
    Manifest manifest;
    manifest.release = "2.14.1";
    manifest.board = "rpi5";
    manifest.image = plan.image->id;
    manifest.python = plan.python;
    manifest.components = {Component::torch};
    manifest.environment = plan.environment;
    CHECK_FALSE(plan.environment.empty());
    write("pytorch/pyproject.toml", kProject);
    write("pytorch/setup.py", kSetup);
    write("pytorch/CMakeLists.txt", kCMakeLists);
    write("pytorch/torch/__init__.py", "");
    write("../modules/build/__main__.py", kBuildModule);
    write("torchpatch/build.env", record::build_environment(manifest));
    write("torchpatch/build.sh",
          record::build_script(manifest, steps, {}, {}, built_by(*plan.release, FrontEndKind::scikit_build_core)));
  }

  /// Runs steps of build.sh; returns what it printed, and its error at the end.
  std::string run(const std::vector<std::string>& arguments, int exit_code = 0) const {
    ProgramRun run;
    run.argv = {"/bin/sh", root_ + "/torchpatch/build.sh", "--online"};
    run.argv.insert(run.argv.end(), arguments.begin(), arguments.end());
    run.environment = {{"PATH", std::getenv("PATH")},
                       {"HOME", temp_.path()},
                       {"PYTHONPATH", temp_.path() + "/modules"},
                       // The plan's flags are those of another CPU.
                       {"TORCHPATCH_KEEP_ENV", "1"},
                       {"CFLAGS", "-O1"},
                       {"CXXFLAGS", "-O1"}};
    run.timeout = std::chrono::seconds(60);
    const ProgramResult result = run_program(run);
    INFO(result.out << result.err);
    CHECK(result.exit_code == exit_code);
    return result.out + result.err;
  }
  bool has(const std::string& path) const { return file_exists(root_ + "/" + path); }
  std::string read(const std::string& path) const { return read_file(root_ + "/" + path); }
  void write(const std::string& path, const std::string& bytes) const {
    make_directories(parent_path(root_ + "/" + path));
    write_file_atomically(root_ + "/" + path, bytes);
  }

 private:
  TempDir temp_;
  std::string root_ = temp_.path() + "/out";
};

const std::string kWheel = "dist/torch-2.14.1-py3-none-any.whl";

TEST_CASE(
    "build.sh of 2.14.1: configures without compiling, compiles without packing, and packs with scikit-build-core") {
  const Site site;
  site.run({"torch:configure"});
  CHECK_THAT(site.read("pytorch/build/CMakeCache.txt"), Catch::Contains("USE_CUDA:STRING=0"));
  CHECK_FALSE(site.has("pytorch/compiled.log"));
  CHECK_FALSE(site.has(kWheel));
  site.run({"torch:build"});
  CHECK(site.read("pytorch/compiled.log") == "x\n");
  CHECK_FALSE(site.has(kWheel));
  site.run({"torch:wheel"});
  CHECK(site.read("pytorch/compiled.log") == "x\n");
  CHECK_THAT(site.read(kWheel), Catch::Contains("torch/lib/libtorch_cpu.so"));
}

TEST_CASE("build.sh of 2.14.1: what a step does to a compiled library gets into the wheel") {
  const Site site({{"issue", "fix", false, {"rm build/libtorch_cpu.so", "echo changed >build/libtorch_cpu.so"}}});
  site.run({"torch"});
  CHECK(site.read("pytorch/compiled.log") == "x\n");
  CHECK_THAT(site.read(kWheel), Catch::Contains("changed\n"));
}

TEST_CASE("build.sh of 2.14.1: stops where CMake decided otherwise than the plan") {
  const Site site;
  std::string lists = kCMakeLists;
  lists.replace(lists.find("DEFINED ENV"), 11, "DEFINED ENX");
  site.write("pytorch/CMakeLists.txt", lists);
  CHECK_THAT(site.run({"torch"}, 1), Catch::Contains("CMake decided USE_CUDA=ON, but the plan has USE_CUDA=0"));
}

}  // namespace
