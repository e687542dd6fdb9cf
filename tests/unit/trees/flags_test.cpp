// SPDX-License-Identifier: BSD-3-Clause
#include "trees/flags/flags.h"

#include <algorithm>
#include <random>

#include "catalog/load_catalog.h"
#include "plan/make_plan.h"
#include "support/catch.h"
#include "support/error.h"
#include "support/source_directory.h"
#include "support/text.h"

namespace torchpatch::trees {
namespace {

const Catalog& shipped() {
  static const Catalog catalog = catalog::load_catalog({{"shipped", torchpatch::test::source_directory()}});
  return catalog;
}

FlagFact fact(const std::string& release, const std::string& name) {
  return flags(shipped(), shipped().release(release), {name}).flags.at(0);
}

TEST_CASE("flags: says how a variable gets to the build, as the sources have it") {
  CHECK(fact("1.1.0", "USE_NCCL").mechanism == FlagMechanism::environment);
  CHECK(fact("1.1.0", "CUDNN_ROOT_DIR").mechanism == FlagMechanism::cmake);
  CHECK(fact("1.1.0", "NVCC_FLAGS").mechanism == FlagMechanism::vision);
  CHECK(fact("1.1.0", "IS_WHEEL").mechanism == FlagMechanism::audio);
  CHECK(fact("1.5.1", "USE_NCCL").mechanism == FlagMechanism::forwarded);
  CHECK(fact("1.5.1", "BLAS").mechanism == FlagMechanism::forwarded);
  CHECK(fact("1.5.1", "MAX_JOBS").mechanism == FlagMechanism::environment);
  CHECK(fact("1.5.1", "CUDA_BIN_PATH").mechanism == FlagMechanism::cmake);
  CHECK(fact("1.10.2", "CC").mechanism == FlagMechanism::cmake);
  CHECK(fact("1.10.2", "VULKAN_SDK").mechanism == FlagMechanism::cmake);
  CHECK(fact("2.1.2", "USE_KINETO").mechanism == FlagMechanism::forwarded);
  // cmake/EnvVarForwarding.cmake in the place of setup.py.
  CHECK(fact("2.13.0", "BLAS").mechanism == FlagMechanism::forwarded);
  CHECK(fact("2.14.1", "BLAS").mechanism == FlagMechanism::forwarded);
  CHECK(fact("2.14.1", "MAX_JOBS").mechanism == FlagMechanism::cmake);
  CHECK(fact("2.14.1", "CUDA_HOME").mechanism == FlagMechanism::environment);
}

TEST_CASE("flags: says since and until when, and what there is instead") {
  const FlagFact renamed = fact("1.5.1", "NO_CUDA");
  CHECK(renamed.read_at.empty());
  CHECK(renamed.since == "1.0.0");
  CHECK(renamed.until == "1.4.1");
  CHECK(renamed.instead == std::vector<std::string>{"USE_CUDA"});
  CHECK(fact("1.5.1", "USE_NCLL").near == std::vector<std::string>{"USE_NCCL"});
  CHECK(fact("1.5.1", "MY_OWN").near.empty());
  CHECK(flags(shipped(), shipped().release("1.5.1"), {}).flags.size() == shipped().release("1.5.1").flags.size());
}

TEST_CASE("find_assignments: reads scripts, Dockerfiles, env files and definitions of CMake") {
  const std::string text =
      "export USE_CUDA=0 CFLAGS='-O2 -g'  # NOT_THIS=1\n"
      "# USE_MKLDNN=1\n"
      "USE_NCCL=0 python3 setup.py bdist_wheel; BUILD_TEST=\"0\"\n"
      "ENV MAX_JOBS 4\n"
      "ENV A=1 B=2\n"
      "RUN cmake -DUSE_GLOO:BOOL=OFF -DUSE_MPI=ON .. && (export C=3)\n"
      "don't D=4 lower=5 9X=6 --E=7 ENV F\n"
      "G='open\n"
      "_PYTHON_HOST_PLATFORM=linux-armv7l\r\n";
  CHECK(find_assignments(text) == std::vector<Assignment>{{1, "USE_CUDA", "0"},
                                                          {1, "CFLAGS", "-O2 -g"},
                                                          {3, "USE_NCCL", "0"},
                                                          {3, "BUILD_TEST", "0"},
                                                          {4, "MAX_JOBS", "4"},
                                                          {5, "A", "1"},
                                                          {5, "B", "2"},
                                                          {6, "USE_GLOO", "OFF"},
                                                          {6, "USE_MPI", "ON"},
                                                          {6, "C", "3"},
                                                          {7, "D", "4"},
                                                          {8, "G", "open"},
                                                          {9, "_PYTHON_HOST_PLATFORM", "linux-armv7l"}});
}

TEST_CASE("find_assignments: takes any bytes, and names only lines that are there") {
  std::minstd_rand random{1};
  const std::string_view letters = "AB_=\"' #\n;-D:ENV \t\\\0\xff";
  for (int i = 0; i < 3000; ++i) {
    std::string text;
    for (std::size_t n = random() % 60; n > 0; --n) text += letters[random() % letters.size()];
    const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
    for (const Assignment& each : find_assignments(text)) {
      CHECK(is_variable_name(each.name));
      CHECK((each.line >= 1 && each.line <= lines));
    }
  }
}

FlagCheckReport check(const std::string& text, const std::string& board = "") {
  const Release& release = shipped().release("1.5.1");
  if (board.empty()) return check_flags(shipped(), release, nullptr, "build.sh", text);
  const Plan plan = plan::make_plan(shipped(), "1.5.1", board, "", {});
  return check_flags(shipped(), release, &plan, "build.sh", text);
}

TEST_CASE("check_flags: tells what is not read, renamed, misspelt and set again") {
  const FlagCheckReport report = check(
      "USE_CUDA=0\nNO_NNPACK=1\nUSE_NCLL=0\nUSE_KINETO=1\nUSE_CUDA=1\nMY_OWN=1\nPATH=/"
      "bin\nUSE_CUDA=1\nBLAS=OpenBLAS\n");
  CHECK(report.assignments == 9);
  std::vector<std::string> found;
  for (const FlagFinding& each : report.findings)
    found.push_back(concat(each.line, " ", each.name, " ", name_of(each.problem), ": ", each.why, " [",
                           join(each.instead, ","), "]"));
  CHECK(found ==
        std::vector<std::string>{"1 USE_CUDA overridden: line 5 sets it to '1' []",
                                 "2 NO_NNPACK renamed: release 1.5.1 does not read it; 1.0.0 to 1.4.1 do [USE_NNPACK]",
                                 "3 USE_NCLL misspelt: no release is known to read it [USE_NCCL]",
                                 "4 USE_KINETO unread: release 1.5.1 does not read it; 1.8.0 to 2.14.1 do []"});
}

TEST_CASE("check_flags: tells what the plan of a board sets otherwise") {
  CHECK(check("USE_CUDA=0\n", "ultra96").findings.empty());
  const FlagCheckReport report = check("USE_CUDA=1\n", "ultra96");
  REQUIRE(report.findings.size() == 1);
  CHECK(report.board == "ultra96");
  CHECK(report.findings.at(0).why == "the plan sets it to '0': board ultra96");
}

TEST_CASE("check_flags: refuses what is no text, and too much of it") {
  const auto error_of = [](const std::string& text) {
    try {
      check(text);
    } catch (const Error& error) {
      return error.message();
    }
    return std::string("no error");
  };
  CHECK(error_of(std::string("A=1\0", 4)) == "reading 'build.sh': is no text in UTF-8");
  CHECK(error_of("A=\xff") == "reading 'build.sh': is no text in UTF-8");
  CHECK(error_of(std::string(kMaxScript + 1, 'x')) == "reading 'build.sh': has more than 1048576 bytes");
  std::string many;
  for (std::size_t i = 0; i <= kMaxAssignments; ++i) many += "A=1\n";
  CHECK(error_of(many) == "reading 'build.sh': sets 5001 variables, more than 5000");
}

}  // namespace
}  // namespace torchpatch::trees
