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
#include "trees/flags/read_script.h"

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

/// "3 USE_CUDA=0": what a script sets.
std::vector<std::string> settings_of(const std::string& file, const std::string& text) {
  std::vector<std::string> out;
  for (const ScriptStep& each : read_script(file, text).steps)
    if (each.kind == ScriptStep::Kind::set) out.push_back(concat(each.line, " ", each.name, "=", each.value));
  return out;
}

TEST_CASE("read_script: reads what prose quotes: scripts, Dockerfiles, definitions of CMake") {
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
  CHECK(settings_of("x.md", text) == std::vector<std::string>{"1 USE_CUDA=0", "1 CFLAGS=-O2 -g", "3 USE_NCCL=0",
                                                              "3 BUILD_TEST=0", "4 MAX_JOBS=4", "5 A=1", "5 B=2",
                                                              "6 USE_GLOO=OFF", "6 USE_MPI=ON", "6 C=3", "7 D=4",
                                                              "8 G=open", "9 _PYTHON_HOST_PLATFORM=linux-armv7l"});
}

TEST_CASE("read_script: reads words as a shell does") {
  CHECK(settings_of("x.sh",
                    "export A='it is' B=\"a \\\"b\\\" $C\" D=e\\ f G=$'h' # I=1\n"
                    "J=$(K=1; echo \"(\" `L=1`) M=\"$(N=1)\" O=${P:-Q=1} make\n"
                    "R=1 \\\n  S=2\n\n"
                    "cat <<-END >T=1\n\tU=1\n\tEND\n"
                    "V=1; W=2&X=3|Y=4 2>&1 >z\n"
                    "AA=\"two\nlines\"\nAB=1\n") ==
        std::vector<std::string>{"1 A=it is", "1 B=a \"b\" $", "1 D=e f", "1 G=h", "2 J=$", "2 M=$", "2 O=$", "3 R=1",
                                 "4 S=2", "9 V=1", "9 W=2", "9 X=3", "9 Y=4", "10 AA=two\nlines", "12 AB=1"});
  CHECK(settings_of("Dockerfile", "FROM x\nENV A=1 \\\n# no\n\n  B=\"2 3\"\nENV C d e\nRUN F=1 && \\\n  G=2\n") ==
        std::vector<std::string>{"2 A=1", "5 B=2 3", "6 C=d e", "7 F=1", "8 G=2"});
  CHECK(settings_of("Makefile", "A=1#2\nexport B := 3 \\\n 4\nC += 5\nx: ; D=6 y\n\tE=7; F=$(A) $$G\n") ==
        std::vector<std::string>{"1 A=1", "2 B=3 \\\n 4", "4 C=5", "5 D=6", "6 E=7", "6 F=$"});
}

TEST_CASE("read_script: says what it does not read") {
  const auto skipped = [](const std::string& text) {
    std::vector<std::string> out;
    for (const SkippedPart& part : read_script("x.sh", text).skipped) out.push_back(concat(part.line, " ", part.what));
    return out;
  };
  CHECK(skipped("echo 'open\nexport A=1\n") ==
        std::vector<std::string>{"1 a quote that is not closed, and everything after it"});
  CHECK(skipped("x\n. ./env\neval \"$x\"\n") == std::vector<std::string>{"2 a sourced file", "3 what 'eval' runs"});
  CHECK(skipped("cat >x <<END\nexport USE_CUDA=1\nEND\ncat <<END\nplain\nEND\n") ==
        std::vector<std::string>{"2 a here-document"});
  CHECK(skipped("export $names\necho $(ls\n") ==
        std::vector<std::string>{"1 names that 'export' gets by expansion",
                                 "2 a '(' that is not closed, and everything after it"});
  CHECK(skipped(std::string(300, '(')).size() == 1);
  CHECK(skipped(concat(std::string(300, '{'), "\n")).empty());
}

TEST_CASE("read_script: takes any bytes of any kind, and names only lines that are there") {
  std::minstd_rand random{1};
  const std::vector<std::string> words = {
      "A",    "B_1",  "=",     "\"", "'",    " ",     "#",       "\n",    ";",        "-D",    ":",
      "ENV ", "RUN ", "\t",    "\\", "\\\n", "\xff",  "$",       "${",    "}",        "$(",    ")",
      "(",    "<<E",  "\nE\n", "`",  "if ",  "then ", "fi ",     "case ", " in ",     "esac ", "|",
      "&&",   "done", "do ",   "[[", "]]",   "((",    "export ", "make ", "FROM x\n", "x:\n",  "+="};
  for (int i = 0; i < 6000; ++i) {
    std::string text;
    for (std::size_t n = random() % 40; n > 0; --n) text += words[random() % words.size()];
    const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
    for (const char* const file : {"x.sh", "Dockerfile", "Makefile", "x.md"}) {
      const Script script = read_script(file, text);
      INFO(file << "\n" << text);
      for (const ScriptStep& each : script.steps) {
        CHECK((each.line >= 1 && each.line <= lines));
        CHECK((each.kind != ScriptStep::Kind::set || is_variable_name(each.name)));
        CHECK(each.shell < static_cast<int>(script.parents.size()));
      }
      for (const SkippedPart& each : script.skipped) CHECK((each.line >= 1 && each.line <= lines));
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
    found.push_back(concat(each.line, " ", each.name, " ", name_of(each.problem), ": ", each.why, "; ", each.fix, " [",
                           join(each.instead, ","), "]"));
  CHECK(found == std::vector<std::string>{
                     "1 USE_CUDA overridden: line 5 sets it to '1'; keep one of the two []",
                     "2 NO_NNPACK renamed: release 1.5.1 does not read it; 1.0.0 to 1.4.1 do; set "
                     "'USE_NNPACK=0' instead [USE_NNPACK]",
                     "3 USE_NCLL misspelt: no known release reads it; did you mean 'USE_NCCL'? [USE_NCCL]",
                     "4 USE_KINETO unread: release 1.5.1 does not read it; 1.8.0 to 2.14.1 do; remove it []"});
}

TEST_CASE("check_flags: tells what the plan of a board sets otherwise") {
  CHECK(check("USE_CUDA=0\n", "ultra96").findings.empty());
  const FlagCheckReport report = check("USE_CUDA=1\n", "ultra96");
  REQUIRE(report.findings.size() == 1);
  CHECK(report.board == "ultra96");
  CHECK(report.findings.at(0).why == "the plan sets it to '0': board ultra96");
  CHECK(check("TORCH_CUDA_ARCH_LIST='5.3;6.2+PTX'\n", "tx2").findings.empty());
  CHECK(check("export TORCH_CUDA_ARCH_LIST='5.3 6.2'\n", "tx2").findings.empty());
  const FlagCheckReport list = check("export TORCH_CUDA_ARCH_LIST='5.3;7.2'\n", "tx2");
  REQUIRE(list.findings.size() == 1);
  CHECK(list.findings.at(0).fix == "add '6.2' to the list");
  CHECK(report.findings.at(0).fix == "remove it, or prepare with --set USE_CUDA=1");
}

TEST_CASE("check_flags: each finding says what to do") {
  const auto fix_of = [](const std::string& file, const std::string& text) {
    const Release& release = shipped().release("1.5.1");
    const std::vector<FlagFinding> found = check_flags(shipped(), release, nullptr, file, text).findings;
    return found.size() == 1 ? found[0].fix : concat(found.size(), " findings");
  };
  CHECK(fix_of("x.sh", "export NO_CUDA=ON\n") == "set 'USE_CUDA=0' instead");
  CHECK(fix_of("x.sh", "NO_CUDA=0 python3 setup.py install\n") == "set 'USE_CUDA=1' instead");
  CHECK(fix_of("x.sh", "export NO_CUDA=$gpu\n") == "set 'USE_CUDA' instead, with the opposite value");
  CHECK(fix_of("x.sh", "export CXX_FLAGS=-O2\n") == "set 'CXXFLAGS' or 'CFLAGS' instead");
  CHECK(fix_of("x.sh", "USE_CUDA=0\npython3 setup.py install\n") == "put 'export' in front of it");
  CHECK(fix_of("Dockerfile", "RUN export USE_CUDA=0\nRUN python3 setup.py install\n") == "set it with ENV");
  CHECK(fix_of("Makefile", "all:\n\texport USE_CUDA=0\n\tpython3 setup.py install\n") ==
        "export it outside of the rule");
}

TEST_CASE("check_flags: lists what the plan sets and a script that builds torch does not") {
  const auto unset = [](const std::string& text) {
    const auto setting = [](const PlannedSetting& each) { return concat(each.name, "=", each.value); };
    return collect(check(text, "tx2").unset, setting);
  };
  const auto lists = [&](const std::string& text, const char* setting) {
    return std::ranges::count(unset(text), setting) == 1;
  };
  const std::string build = "export USE_CUDA=1\npython3 setup.py bdist_wheel\n";
  CHECK(lists(build, "TORCH_CUDA_ARCH_LIST=6.2"));
  CHECK(lists(build, "USE_NCCL=0"));
  CHECK_FALSE(lists("export TORCH_CUDA_ARCH_LIST=5.3\n" + build, "TORCH_CUDA_ARCH_LIST=6.2"));
  CHECK_FALSE(lists("echo $TORCH_CUDA_ARCH_LIST\n" + build, "TORCH_CUDA_ARCH_LIST=6.2"));
  CHECK_FALSE(lists(build, "PYTORCH_BUILD_VERSION=1.5.1"));
  CHECK(unset("export USE_CUDA=1\necho done\n").empty());
  CHECK(unset("pip install numpy\npython3 setup.py bdist_wheel\n").empty());
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
  CHECK(error_of(std::string("A=1\0", 4)) == "reading 'build.sh': is not UTF-8 text");
  CHECK(error_of("A=\xff") == "reading 'build.sh': is not UTF-8 text");
  CHECK(error_of(std::string(kMaxScript + 1, 'x')) == "reading 'build.sh': has more than 1048576 bytes");
  std::string many;
  for (std::size_t i = 0; i <= kMaxAssignments; ++i) many += "A=1\n";
  CHECK(error_of(many) == "reading 'build.sh': sets 5001 variables, more than 5000");
}

}  // namespace
}  // namespace torchpatch::trees
