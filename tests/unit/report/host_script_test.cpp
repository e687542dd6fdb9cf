// SPDX-License-Identifier: BSD-3-Clause
#include <map>

#include "record/tree_scripts.h"
#include "support/catch.h"
#include "support/text.h"
#include "unit/report/out_tree.h"

namespace torchpatch::report {
namespace {

using test::OutTree;

/// One requirement and a host; what check.sh and build.sh say of it.
struct Case {
  std::string what;
  HostRequirement requirement;
  std::map<std::string, std::string> programs;  ///< name → lines of sh, in front of PATH
  test::Variables variables;
  std::string line;  ///< empty: the requirement is none of this build's
};

HostRequirement requirement(HostProbe probe, const std::string& name, const std::string& wanted = {}) {
  return {probe, name, wanted, "who", true, {}, "an-issue", "do it", {}};
}

/// Its compiler flags name the file SPECS.
const std::string kPythonWithSpecs = R"sh(exec /usr/bin/python3 -c "import sysconfig
sysconfig.get_config_var = lambda name: '-g -specs=$SPECS -O2'
$2")sh";

/// A compiler whose macros of the CPU are words of its flags: -mA-B has A and B.
const std::string kCompiler = R"sh(case "$*" in
  *-dumpmachine*) echo "${MACHINE:-aarch64-linux-gnu}" ;;
  *-mbad*) exit 1 ;;
  *-dM*) for flag in "$@"; do case $flag in -m*)
      echo "${flag#-m}" | tr - '\n' | sed 's/^/#define __ARM_FEATURE_/; s/$/ 1/' ;; esac; done ;;
  *-E*) cat >/dev/null; echo; echo "2 27" ;;
esac)sh";

std::vector<Case> cases() {
  const HostRequirement arch = requirement(HostProbe::same, "arch", "aarch64");
  const HostRequirement kernel = requirement(HostProbe::same, "kernel", "armv7l");
  const HostRequirement abi = requirement(HostProbe::same, "python-abi", "32-bit armv7l");
  const HostRequirement memory = requirement(HostProbe::size, "memory", "1");
  const HostRequirement cpu = requirement(HostProbe::cpu, "cpu", "-mCRC32 -mFMA");
  const HostRequirement yaml = requirement(HostProbe::import, "import-yaml", "yaml");
  HostRequirement cuda = requirement(HostProbe::version, "cuda");
  cuda.steps = {{"0", "ok", false, {}, {}}, {"11", "too new", true, {}, "x"}};
  HostRequirement glibc = requirement(HostProbe::version, "glibc"), numpy = requirement(HostProbe::package, "numpy");
  glibc.steps = {{"0", "ok", false, {}, {}}, {"2.27.0.1", "too new", true, {}, "x"}};
  numpy.steps = {{"0", "ok", false, {}, {}}};
  const auto library = [](const std::string& name) { return requirement(HostProbe::library, name, "a-dev"); };
  const std::string what_to_do = ", who; known issue an-issue): do it";
  const std::map<std::string, std::string> cc = {{"cc", kCompiler}, {"c++", kCompiler}};
  const std::map<std::string, std::string> pi = {{"cc", kCompiler}, {"uname", "echo aarch64"}};
  const std::map<std::string, std::string> none = {{"cc", "exit 1"}, {"c++", "exit 1"}};
  return {
      {"another machine",
       arch,
       cc,
       {{"MACHINE", "x86_64-linux-gnu"}},
       "FAIL arch x86_64: differs (wanted: aarch64" + what_to_do},
      {"a cross compiler of several words",
       arch,
       {{"my-cc", "shift; " + kCompiler}},
       {{"CC", "my-cc -x"}},
       "OK   arch aarch64 (wanted: aarch64, who)"},
      {"no compiler", arch, none, {}, "FAIL arch: not found here (wanted: aarch64" + what_to_do},
      {"a toolchain file", arch, none, {{"CMAKE_TOOLCHAIN_FILE", "x.cmake"}}, ""},
      {"a toolchain file and a compiler",
       arch,
       cc,
       {{"CMAKE_TOOLCHAIN_FILE", "x.cmake"}, {"CC", "cc"}},
       "OK   arch aarch64 (wanted: aarch64, who)"},
      {"32 bits on a kernel of 64",
       kernel,
       pi,
       {{"MACHINE", "arm-linux-gnueabihf"}},
       "FAIL kernel aarch64: differs (wanted: armv7l" + what_to_do},
      {"32 bits under linux32",
       kernel,
       {{"cc", kCompiler}, {"uname", "echo armv8l"}},
       {{"MACHINE", "arm-linux-gnueabihf"}},
       "OK   kernel armv7l (wanted: armv7l, who)"},
      {"a Python of another machine",
       abi,
       {{"python3", "case $2 in *calcsize*) echo 64 ;; *) echo aarch64-linux-gnu ;; esac"}},
       {},
       "FAIL python-abi 64-bit aarch64: differs (wanted: 32-bit armv7l" + what_to_do},
      {"a Python that does not know its machine",
       abi,
       {{"python3", "case $2 in *calcsize*) echo 32 ;; esac"}},
       {},
       "OK   python-abi 32-bit armv7l (wanted: 32-bit armv7l, who)"},
      {"the compiler's libc", glibc, cc, {}, "OK   glibc 2.27 (wanted: who)"},
      {"the system's libc",
       glibc,
       {{"cc", "exit 1"}, {"getconf", "echo glibc 2.36"}},
       {},
       "FAIL glibc 2.36: too new (wanted: who): x"},
      {"CUDA where CUDA_HOME says",
       cuda,
       {{"cuda/bin/nvcc", "echo 'Built in 2020, release 10.2, V10.2.89'"}},
       {{"CUDA_HOME", "$TEMP/host/cuda"}},
       "OK   cuda 10.2 (wanted: who)"},
      {"another CUDA",
       cuda,
       {{"nvcc", "echo 'release 11.4, V11.4.1'"}},
       {},
       "FAIL cuda 11.4: too new (wanted: who): x"},
      {"no CUDA is wanted", cuda, {}, {{"USE_CUDA", "0"}}, ""},
      {"no CUDA is wanted, in the words of older releases", cuda, {}, {{"NO_CUDA", "1"}}, ""},
      {"a package that only some builds want",
       numpy,
       {{"python3", "exit 1"}},
       {},
       "WARN numpy: not found here (wanted: who; known issue an-issue): do it"},
      {"a module", yaml, {{"python3", "[ \"$3\" = yaml ]"}}, {}, "OK   import-yaml (wanted: yaml, who)"},
      {"no module", yaml, {{"python3", "exit 1"}}, {}, "FAIL import-yaml: not found here (wanted: yaml" + what_to_do},
      {"memory", memory, {{"awk", "exec /usr/bin/awk \"$@\""}}, {}, "OK   memory "},
      {"too little room",
       requirement(HostProbe::size, "disk", "2000"),
       {{"df", "echo x; echo 'my big disk 9 9 1024000 9% /my place 5%'"}},
       {},
       "FAIL disk 1000 MiB: too little (wanted: 2000 MiB" + what_to_do},
      {"flags of a newer CPU",
       cpu,
       cc,
       {{"CFLAGS", "-O2"}, {"CXXFLAGS", "-mFMA-ATOMICS-DOTPROD"}},
       "FAIL cpu ATOMICS DOTPROD: beyond the board (wanted: -mCRC32 -mFMA" + what_to_do},
      {"flags of an older CPU, which had coprocessors",
       cpu,
       cc,
       {{"CFLAGS", "-mFMA-COPROC"}},
       "OK   cpu (wanted: -mCRC32 -mFMA, who)"},
      {"a compiler that does not know the board's CPU",
       requirement(HostProbe::cpu, "cpu", "-mbad"),
       cc,
       {},
       "WARN cpu: unknown (wanted: -mbad" + what_to_do},
      {"flags that the compiler takes",
       requirement(HostProbe::works, "flags", "f"),
       cc,
       {{"CFLAGS", "-mgood"}},
       "OK   flags (wanted: f, who)"},
      {"flags that it does not take",
       requirement(HostProbe::works, "flags", "f"),
       cc,
       {{"CXXFLAGS", "-mbad"}},
       "FAIL flags: not found here (wanted: f" + what_to_do},
      {"make for want of ninja",
       requirement(HostProbe::works, "make", "m"),
       {{"make", ""}},
       {},
       "OK   make (wanted: m, who)"},
      {"no bdist_wheel",
       requirement(HostProbe::works, "wheel", "w"),
       {{"python3", "exit 1"}},
       {},
       "FAIL wheel: not found here (wanted: w" + what_to_do},
      {"no headers of Python",
       requirement(HostProbe::works, "python-headers", "P"),
       {{"python3", "exit 1"}},
       {},
       "FAIL python-headers: not found here (wanted: P" + what_to_do},
      {"files that the flags of Python name",
       requirement(HostProbe::works, "python-specs", "s"),
       {{"python3", kPythonWithSpecs}},
       {{"SPECS", "/dev/null"}},
       "OK   python-specs (wanted: s, who)"},
      {"files that the flags of Python name, and that are not there",
       requirement(HostProbe::works, "python-specs", "s"),
       {{"python3", kPythonWithSpecs}},
       {{"SPECS", "/dev/null/no-pie-compile.specs"}},
       "FAIL python-specs: not found here (wanted: s" + what_to_do},
      {"a library that is not asked for", library("USE_LMDB"), none, {}, ""},
      {"a library that is turned off", library("USE_LMDB"), none, {{"USE_LMDB", "OFF"}}, ""},
      {"a library that is not there",
       library("USE_LMDB"),
       {},
       {{"USE_LMDB", "ON"}},
       "FAIL USE_LMDB: does not compile and link (wanted: a-dev" + what_to_do},
      {"another BLAS than OpenBLAS", library("BLAS"), none, {{"BLAS", "Eigen"}}, ""},
      {"OpenBLAS",
       library("BLAS"),
       none,
       {{"BLAS", "OpenBLAS"}},
       "FAIL BLAS: does not compile and link (wanted: a-dev" + what_to_do},
      {"MPI by its compiler",
       library("USE_MPI"),
       {{"mpicxx", ""}},
       {{"USE_MPI", "1"}},
       "OK   USE_MPI (wanted: a-dev, who)"},
      {"SoX", library("sox"), none, {}, "FAIL sox: does not compile and link (wanted: a-dev" + what_to_do},
      {"a SoX of its own", library("sox"), none, {{"BUILD_SOX", "1"}}, ""},
  };
}

void write_programs(const OutTree& tree, const std::map<std::string, std::string>& programs) {
  for (const auto& [name, lines] : programs) {
    tree.write("../host/" + name, "#!/bin/sh\n" + lines + "\n");
    tree.set_mode("../host/" + name, 0755);
  }
}

test::Variables variables_of(const OutTree& tree, const Case& each) {
  test::Variables variables = each.variables;
  for (auto& [name, value] : variables)
    if (starts_with(value, "$TEMP")) value = tree.temp() + value.substr(5);
  variables.emplace_back("PATH", tree.temp() + "/host:/usr/bin:/bin");
  return variables;
}

/// Gives a tree one requirement, and a build.env that sets nothing.
void fill_tree(OutTree& tree, const Case& each) {
  tree.manifest.environment.clear();
  tree.requirements = {each.requirement};
  tree.seal();
  write_programs(tree, each.programs);
}

/// What the report says, cut as long as what is expected, since some figures are the host's.
std::string said(const std::string& out, const std::string& expected) {
  const std::size_t end = out.find('\n');
  const std::string rest = out.substr(end == std::string::npos ? out.size() : end + 1);
  const std::string line(trim(rest.substr(0, rest.find("host: "))));
  return starts_with(line, expected) && !expected.empty() ? expected : line;
}

TEST_CASE("check.sh: says of each requirement whether it is met") {
  for (const Case& each : cases()) {
    for (const std::string& shell : test::script_shells()) {
      OutTree tree;
      fill_tree(tree, each);
      const ProgramResult result = tree.run(shell, "check.sh", {}, variables_of(tree, each));
      INFO(each.what << " in " << shell << "\n" << result.out << result.err);
      CHECK(said(result.out, each.line) == each.line);
      CHECK(result.exit_code == (starts_with(each.line, "FAIL") ? 1 : 0));
    }
  }
}

TEST_CASE("build.sh: refuses what check.sh says will fail, in its words") {
  for (const Case& each : cases()) {
    OutTree tree;
    fill_tree(tree, each);
    const bool is_refused = starts_with(each.line, "FAIL");
    test::Variables variables = variables_of(tree, each);
    const ProgramResult result = tree.run(test::script_shells()[0], "build.sh", {"torch:build"}, variables);
    INFO(each.what << "\n" << result.out << result.err);
    CHECK(result.exit_code == 1);  // there is nothing to build
    CHECK((result.err.find("is refused for 1 of its checks") != std::string::npos) == is_refused);
    CHECK((result.err.find("build.sh: " + each.line + "\n") != std::string::npos) ==
          (is_refused || starts_with(each.line, "WARN")));
  }
}

TEST_CASE("check.sh: finds a library by linking a program with it") {
  const Case lmdb = {"", requirement(HostProbe::library, "USE_LMDB", "liblmdb-dev"), {}, {{"USE_LMDB", "1"}}, ""};
  OutTree tree;
  fill_tree(tree, lmdb);
  const std::string prefix = tree.temp() + "/prefix";
  const auto verdict = [&] {
    test::Variables variables = variables_of(tree, lmdb);
    variables.emplace_back("CMAKE_PREFIX_PATH", "/nowhere:" + prefix);
    const ProgramResult result = tree.run(test::script_shells()[0], "check.sh", {}, variables);
    return said(result.out, "OK   USE_LMDB");
  };
  const auto missing = Catch::StartsWith("FAIL USE_LMDB: does not compile and link");
  CHECK_THAT(verdict(), missing);
  tree.write("../prefix/include/lmdb.h", "int mdb_env_create(void *);\n");
  CHECK_THAT(verdict(), missing);  // a header alone is no library
  tree.write("../prefix/lmdb.c", "int mdb_env_create(void *env) { return !env; }\n");
  make_directories(prefix + "/lib");
  REQUIRE(run_program({{"cc", "-shared", "-fPIC", prefix + "/lmdb.c", "-o", prefix + "/lib/liblmdb.so"},
                       {{"PATH", "/usr/bin:/bin"}},
                       prefix,
                       std::chrono::seconds(60)})
              .exit_code == 0);
  CHECK(verdict() == "OK   USE_LMDB");
}

}  // namespace
}  // namespace torchpatch::report
