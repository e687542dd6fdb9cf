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
  return {probe, name, wanted, "who", true, {}, "an-issue", "do it", {}, {}};
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

/// nvcc of a CUDA that accepts gcc up to 10, as its header says it; it calls the compiler that it is given, or g++.
const std::string kNvcc = R"sh(case "$*" in
  *--version*) echo 'release 11.2, V11.2.152' ;;
  *"-x c++ -D__CUDACC__ --pre-include crt/host_config.h /dev/null")
    cat >"$0.h" <<'END'
#if defined(__CUDACC__)
#if __GNUC__ > 10
#error -- unsupported GNU version! gcc versions later than 10 are not supported! The nvcc flag '-allow-unsupported-compiler' can
#endif
#endif
END
    compiler=g++
    [ "$1" != -ccbin ] || compiler=$2
    exec "$compiler" -E -dM -x c++ -D__CUDACC__ -include "$0.h" /dev/null ;;
esac)sh";

/// A gcc of another version than the one here.
std::string gcc_of(const std::string& major) {
  return concat("exec c++ -U__clang_major__ -U__GNUC__ -D__GNUC__=", major, " -U__GNUC_MINOR__ -D__GNUC_MINOR__=2 ",
                "-U__GNUC_PATCHLEVEL__ -D__GNUC_PATCHLEVEL__=1 \"$@\"");
}

std::vector<Case> cases() {
  const HostRequirement arch = requirement(HostProbe::same, "arch", "aarch64");
  const HostRequirement kernel = requirement(HostProbe::same, "kernel", "armv7l");
  const HostRequirement abi = requirement(HostProbe::same, "python-abi", "32-bit armv7l");
  const HostRequirement memory = requirement(HostProbe::size, "memory", "1");
  const HostRequirement cpu = requirement(HostProbe::cpu, "cpu", "-mCRC32 -mFMA");
  const HostRequirement yaml = requirement(HostProbe::import, "import-yaml", "yaml");
  HostRequirement cuda = requirement(HostProbe::version, "cuda");
  cuda.steps = {{"0", "ok", false, {}, {}}, {"11", "too new", true, {}, "x"}};
  const HostRequirement nvcc_gcc = requirement(HostProbe::nvcc, "nvcc-gcc", "CC");
  HostRequirement cudnn = requirement(HostProbe::version, "cudnn");
  cudnn.steps = {{"0", "too old", true, {}, "x"}, {"8", "ok", false, {}, {}}};
  const std::string cudnn_7 = "#define CUDNN_MAJOR 7\n#define CUDNN_MINOR 6\n#define CUDNN_PATCHLEVEL 3";
  const std::string cudnn_8 = "#define CUDNN_MAJOR 8\n#define CUDNN_MINOR 2\n#define CUDNN_PATCHLEVEL 1";
  HostRequirement glibc = requirement(HostProbe::version, "glibc"), numpy = requirement(HostProbe::package, "numpy");
  glibc.steps = {{"0", "ok", false, {}, {}}, {"2.27.0.1", "too new", true, {}, "x"}};
  numpy.steps = {{"0", "ok", false, {}, {}}};
  const auto library = [](const std::string& name) { return requirement(HostProbe::library, name, "a-dev"); };
  const std::string what_to_do = " (who); known issue an-issue do it";
  const std::map<std::string, std::string> cc = {{"cc", kCompiler}, {"c++", kCompiler}};
  const std::map<std::string, std::string> pi = {{"cc", kCompiler}, {"uname", "echo aarch64"}};
  const std::map<std::string, std::string> none = {{"cc", "exit 1"}, {"c++", "exit 1"}};
  return {
      {"another machine",
       arch,
       cc,
       {{"MACHINE", "x86_64-linux-gnu"}},
       "FAIL arch: found x86_64, need aarch64" + what_to_do},
      {"a cross compiler of several words",
       arch,
       {{"my-cc", "shift; " + kCompiler}},
       {{"CC", "my-cc -x"}},
       "OK   arch: found aarch64, need aarch64 (who)"},
      {"no compiler", arch, none, {}, "FAIL arch: not found, need aarch64" + what_to_do},
      {"a toolchain file", arch, none, {{"CMAKE_TOOLCHAIN_FILE", "x.cmake"}}, ""},
      {"a toolchain file and a compiler",
       arch,
       cc,
       {{"CMAKE_TOOLCHAIN_FILE", "x.cmake"}, {"CC", "cc"}},
       "OK   arch: found aarch64, need aarch64 (who)"},
      {"32 bits on a kernel of 64",
       kernel,
       pi,
       {{"MACHINE", "arm-linux-gnueabihf"}},
       "FAIL kernel: found aarch64, need armv7l" + what_to_do},
      {"the kernel of a machine whose compiler is for itself",
       kernel,
       {{"cc", kCompiler}, {"uname", "echo x86_64"}},
       {{"MACHINE", "x86_64-linux-gnu"}},
       ""},
      {"32 bits under linux32",
       kernel,
       {{"cc", kCompiler}, {"uname", "echo armv8l"}},
       {{"MACHINE", "arm-linux-gnueabihf"}},
       "OK   kernel: found armv7l, need armv7l (who)"},
      {"a Python of another machine",
       abi,
       {{"python3", "case $2 in *calcsize*) echo 64 ;; *) echo aarch64-linux-gnu ;; esac"}},
       {},
       "FAIL python-abi: found 64-bit aarch64, need 32-bit armv7l" + what_to_do},
      {"a Python that does not know its machine",
       abi,
       {{"python3", "case $2 in *calcsize*) echo 32 ;; esac"}},
       {},
       "OK   python-abi: found 32-bit armv7l, need 32-bit armv7l (who)"},
      {"the compiler's libc", glibc, cc, {}, "OK   glibc: found 2.27, need who"},
      {"the system's libc",
       glibc,
       {{"cc", "exit 1"}, {"getconf", "echo glibc 2.36"}},
       {},
       "FAIL glibc: found 2.36, need who x"},
      {"CUDA where CUDA_HOME says",
       cuda,
       {{"cuda/bin/nvcc", "echo 'Built in 2020, release 10.2, V10.2.89'"}},
       {{"CUDA_HOME", "$TEMP/host/cuda"}},
       "OK   cuda: found 10.2, need who"},
      {"another CUDA", cuda, {{"nvcc", "echo 'release 11.4, V11.4.1'"}}, {}, "FAIL cuda: found 11.4, need who x"},
      {"no CUDA is wanted", cuda, {}, {{"USE_CUDA", "0"}}, ""},
      {"no CUDA is wanted, in the words of older releases", cuda, {}, {{"NO_CUDA", "1"}}, ""},
      {"a gcc that is too new for nvcc",
       nvcc_gcc,
       {{"nvcc", kNvcc}, {"my-gcc", gcc_of("12")}},
       {{"CC", "ccache my-gcc"}},
       "FAIL nvcc-gcc: found 12.2.1, need <=10 (CUDA 11.2); known issue an-issue install g++-10, then set "
       "CUDAHOSTCXX=/usr/bin/g++-10"},
      {"another one for nvcc alone",
       nvcc_gcc,
       {{"nvcc", kNvcc}, {"my-gcc", gcc_of("12")}, {"g++-10", gcc_of("10")}},
       {{"CC", "my-gcc"}, {"CUDAHOSTCXX", "g++-10"}},
       "OK   nvcc-gcc: found 10.2.1, need a gcc that nvcc accepts (CUDA 11.2)"},
      {"nvcc's own choice",
       requirement(HostProbe::nvcc, "nvcc-gcc", "-"),
       {{"nvcc", kNvcc}, {"g++", gcc_of("11")}, {"cc", "exit 1"}},
       {},
       "FAIL nvcc-gcc: found 11.2.1, need <=10 (CUDA 11.2); known issue an-issue install g++-10, then set "
       "CUDAHOSTCXX=/usr/bin/g++-10"},
      {"no such compiler for nvcc",
       nvcc_gcc,
       {{"nvcc", kNvcc}},
       {{"CUDAHOSTCXX", "/usr/bin/g++-4.0"}},
       "FAIL nvcc-gcc: not found, need a gcc that nvcc accepts (CUDA 11.2); known issue an-issue do it"},
      {"an nvcc that says nothing of its compiler",
       nvcc_gcc,
       {{"nvcc", "echo release 9.0"}, {"my-gcc", "exit 1"}},
       {{"CC", "my-gcc"}},
       "WARN nvcc-gcc: unknown, need a gcc that nvcc accepts (CUDA 9.0); known issue an-issue do it"},
      {"no nvcc", nvcc_gcc, {{"nvcc", "exit 1"}}, {}, ""},
      {"the compiler of a toolchain file", nvcc_gcc, {{"nvcc", kNvcc}}, {{"CMAKE_TOOLCHAIN_FILE", "x.cmake"}}, ""},
      {"cuDNN where CUDNN_INCLUDE_DIR says",
       cudnn,
       {{"cudnn_version.h", cudnn_8}},
       {{"CUDNN_INCLUDE_DIR", "$TEMP/host"}},
       "OK   cudnn: found 8.2.1, need who"},
      {"an older cuDNN, beside CUDA",
       cudnn,
       {{"cuda/include/cudnn.h", cudnn_7}},
       {{"CUDA_HOME", "$TEMP/host/cuda"}},
       "FAIL cudnn: found 7.6.3, need who x"},
      {"no cuDNN is wanted", cudnn, {}, {{"USE_CUDNN", "0"}}, ""},
      {"no CUDA is wanted, so no cuDNN", cudnn, {}, {{"USE_CUDA", "0"}}, ""},
      {"a package that only some builds want",
       numpy,
       {{"python3", "exit 1"}},
       {},
       "WARN numpy: not found, need who; known issue an-issue do it"},
      {"a module", yaml, {{"python3", "[ \"$3\" = yaml ]"}}, {}, "OK   import-yaml: found, need yaml (who)"},
      {"no module", yaml, {{"python3", "exit 1"}}, {}, "FAIL import-yaml: not found, need yaml" + what_to_do},
      {"memory", memory, {{"awk", "exec /usr/bin/awk \"$@\""}}, {}, "OK   memory: found "},
      {"too little room",
       requirement(HostProbe::size, "disk", "2000"),
       {{"df", "echo x; echo 'my big disk 9 9 1024000 9% /my place 5%'"}},
       {},
       "FAIL disk: found 1000 MiB, need >=2000 MiB" + what_to_do},
      {"flags of a newer CPU",
       cpu,
       cc,
       {{"CFLAGS", "-O2"}, {"CXXFLAGS", "-mFMA-ATOMICS-DOTPROD"}},
       "FAIL cpu: found ATOMICS DOTPROD, beyond the board, need -mCRC32 -mFMA" + what_to_do},
      {"flags of an older CPU, which had coprocessors",
       cpu,
       cc,
       {{"CFLAGS", "-mFMA-COPROC"}},
       "OK   cpu: found, need -mCRC32 -mFMA (who)"},
      {"a compiler that does not know the board's CPU",
       requirement(HostProbe::cpu, "cpu", "-mbad"),
       cc,
       {},
       "WARN cpu: unknown, need -mbad" + what_to_do},
      {"flags that the compiler takes",
       requirement(HostProbe::works, "flags", "f"),
       cc,
       {{"CFLAGS", "-mgood"}},
       "OK   flags: found, need f (who)"},
      {"flags that it does not take",
       requirement(HostProbe::works, "flags", "f"),
       cc,
       {{"CXXFLAGS", "-mbad"}},
       "FAIL flags: not found, need f" + what_to_do},
      {"make for want of ninja",
       requirement(HostProbe::works, "make", "m"),
       {{"make", ""}},
       {},
       "OK   make: found, need m (who)"},
      {"no bdist_wheel",
       requirement(HostProbe::works, "wheel", "w"),
       {{"python3", "exit 1"}},
       {},
       "FAIL wheel: not found, need w" + what_to_do},
      {"no headers of Python",
       requirement(HostProbe::works, "python-headers", "P"),
       {{"python3", "exit 1"}},
       {},
       "FAIL python-headers: not found, need P" + what_to_do},
      {"files that the flags of Python name",
       requirement(HostProbe::works, "python-specs", "s"),
       {{"python3", kPythonWithSpecs}},
       {{"SPECS", "/dev/null"}},
       "OK   python-specs: found, need s (who)"},
      {"files that the flags of Python name, and that are not there",
       requirement(HostProbe::works, "python-specs", "s"),
       {{"python3", kPythonWithSpecs}},
       {{"SPECS", "/dev/null/no-pie-compile.specs"}},
       "FAIL python-specs: not found, need s" + what_to_do},
      {"a library that is not asked for", library("USE_LMDB"), none, {}, ""},
      {"a library that is turned off", library("USE_LMDB"), none, {{"USE_LMDB", "OFF"}}, ""},
      {"a library that is not there",
       library("USE_LMDB"),
       {},
       {{"USE_LMDB", "ON"}},
       "FAIL USE_LMDB: does not compile and link, need a-dev" + what_to_do},
      {"another BLAS than OpenBLAS", library("BLAS"), none, {{"BLAS", "Eigen"}}, ""},
      {"OpenBLAS",
       library("BLAS"),
       none,
       {{"BLAS", "OpenBLAS"}},
       "FAIL BLAS: does not compile and link, need a-dev" + what_to_do},
      {"MPI by its compiler",
       library("USE_MPI"),
       {{"mpicxx", ""}},
       {{"USE_MPI", "1"}},
       "OK   USE_MPI: found, need a-dev (who)"},
      {"SoX", library("sox"), none, {}, "FAIL sox: does not compile and link, need a-dev" + what_to_do},
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

/// A finding as one line.
std::string unwrapped(std::string text) {
  for (std::size_t at = 0; (at = text.find("\n     ", at)) != std::string::npos;) text.replace(at, 6, " ");
  return text;
}

/// What the report says, cut as long as what is expected, since some figures are the host's.
std::string said(const std::string& out, const std::string& expected) {
  const std::size_t end = out.find('\n');
  const std::string rest = out.substr(end == std::string::npos ? out.size() : end + 1);
  std::string line = unwrapped(rest);
  line = trim(line.substr(0, line.find("host: ")));
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
    CHECK((result.err.find("1 check failed; nothing was built. Fix it, or ignore it with --skip NAME") !=
           std::string::npos) == is_refused);
    CHECK((!each.line.empty() && unwrapped(result.err).find(each.line + "\n") != std::string::npos) ==
          (is_refused || starts_with(each.line, "WARN")));
  }
}

HostRequirement with_install(HostRequirement requirement, const std::string& install) {
  requirement.install = install;
  return requirement;
}

/// A tree that asks for a Python, two of its packages and a library, on a host that has none of them.
void fill_lacking_tree(OutTree& tree, const std::string& python) {
  tree.manifest.environment.clear();
  HostRequirement version = requirement(HostProbe::version, "python"), numpy = requirement(HostProbe::package, "numpy");
  version.steps = {
      {"0", "too old", true, {}, "take 3.5"}, {"3.5", "ok", false, {}, {}}, {"3.6", "too new", true, {}, "x"}};
  numpy.advice = "python3 -m pip install 'numpy<1.19'";
  numpy.steps = {{"0", "ok", false, {}, {}}, {"2", "too new", true, {}, "an older one"}};
  tree.requirements = {version, with_install(numpy, "pip:numpy<1.19 deb:python3-numpy"),
                       with_install(requirement(HostProbe::import, "import-yaml", "yaml"), "pip:pyyaml<5.4"),
                       with_install(requirement(HostProbe::library, "sox", "libsox-dev"), "apt:libsox-dev")};
  tree.seal();
  // What the script asks Python for tells by the words: its version, whether its system keeps it, pip, a package. Once
  // something was installed, all is there.
  write_programs(tree, {{"python3", "case \"$*\" in *version_info*) echo " + python +
                                        R"sh( ;; *MANAGED*) exit "${MANAGED:-1}" ;;
  *'-m pip install'*) echo "$@" >>"$LOG" ;; *'-m pip '* | *ensurepip*) exit "${PIP:-0}" ;;
  *__import__*) [ -f "$LOG" ] ;; *) [ ! -f "$LOG" ] || echo 1.18.5; [ -f "$LOG" ] ;; esac)sh"},
                        {"cc", "[ -f \"$LOG\" ]"},
                        {"id", "echo \"${WHO:-0}\""},
                        {"apt-get", "echo apt-get \"$DEBIAN_FRONTEND\" \"$@\" >>\"$LOG\""}});
}

TEST_CASE("check.sh: a Python that will not do does not fail its packages as well") {
  for (const std::string& shell : test::script_shells()) {
    OutTree tree;
    fill_lacking_tree(tree, "3.11.2");
    const std::string path = tree.temp() + "/host:/usr/bin:/bin";
    const std::string out = tree.run(shell, "check.sh", {}, {{"PATH", path}}).out;
    CHECK_THAT(out, Catch::Contains("FAIL python: found 3.11.2") && Catch::Contains("host: 2 of 2 checks failed"));
    CHECK_THAT(out, !Catch::Contains("numpy") && !Catch::Contains("yaml"));
    write_programs(tree, {{"cc", "exit 0"}});
    CHECK_THAT(tree.run(shell, "check.sh", {"--install", "--yes"}, {{"PATH", path}}).out,
               Catch::EndsWith("no package is missing, nothing to install; still to do, as printed above: python\n"));
  }
}

TEST_CASE("check.sh: names one command for everything that is missing, for this image's own tools") {
  for (const std::string& shell : test::script_shells()) {
    INFO(shell);
    OutTree tree;
    fill_lacking_tree(tree, "3.5.2");
    const auto check = [&](test::Variables variables) {
      variables.emplace_back("PATH", tree.temp() + "/host:/usr/bin:/bin");
      return tree.run(shell, "check.sh", {}, variables).out;
    };
    CHECK_THAT(check({}), Catch::EndsWith("to install what is missing, as root:\napt-get install --yes libsox-dev && "
                                          "python3 -m pip install 'numpy<1.19' 'pyyaml<5.4'\n"));
    CHECK_THAT(check({}), Catch::Contains("\n     python3 -m pip install 'numpy<1.19'\n"));
    CHECK_THAT(check({{"MANAGED", "0"}}),
               Catch::Contains("\n     in a virtual environment: python3 -m pip install 'numpy<1.19'\n"));
    CHECK_THAT(check({{"MANAGED", "0"}}),
               Catch::EndsWith("to install what is missing, as root:\n"
                               "apt-get install --yes python3-numpy libsox-dev && "
                               "python3 -m venv --system-site-packages \"$HOME/torchpatch-python\" && "
                               "\"$HOME/torchpatch-python/bin/python\" -m pip install 'pyyaml<5.4'\n"
                               "then run check.sh and build.sh with PYTHON=\"$HOME/torchpatch-python/bin/python\"\n"));
    CHECK_THAT(check({{"PIP", "1"}, {"MANAGED", "0"}}), Catch::Contains("libsox-dev python3-venv && python3 -m venv"));
    CHECK_THAT(check({{"PIP", "1"}}), Catch::Contains("libsox-dev python3-pip && python3 -m pip install"));
    CHECK_THAT(check({{"PIP", "1"}, {"PYTHON", tree.temp() + "/host/python3"}}), !Catch::Contains("python3-pip"));
    CHECK_THAT(check({{"WHO", "1000"}}), Catch::EndsWith("to install what is missing, as root:\n"
                                                         "apt-get install --yes libsox-dev\n"
                                                         "then, as this user:\n"
                                                         "python3 -m pip install 'numpy<1.19' 'pyyaml<5.4'\n"));
  }
}

TEST_CASE("check.sh: --install runs that command after asking, as root alone, and checks again") {
  for (const std::string& shell : test::script_shells()) {
    INFO(shell);
    OutTree tree;
    fill_lacking_tree(tree, "3.5.2");
    const std::string log = tree.temp() + "/log", path = tree.temp() + "/host:/usr/bin:/bin";
    const auto install = [&](const std::vector<std::string>& arguments, const std::string& who) {
      return tree.run(shell, "check.sh", arguments, {{"PATH", path}, {"LOG", log}, {"WHO", who}});
    };
    const ProgramResult unasked = install({"--install"}, "0");  // nobody can answer
    CHECK(unasked.exit_code == 2);
    CHECK(unasked.err == "check.sh: --install: not a terminal, use --yes; nothing was installed\n");
    const ProgramResult user = install({"--install", "--yes"}, "1000");
    CHECK(user.exit_code == 2);
    CHECK(user.err == "check.sh: --install: apt-get needs root; nothing was installed\n");
    CHECK_THAT(user.out, Catch::Contains("as root:\napt-get install --yes libsox-dev\n") && !Catch::Contains("sudo"));
    CHECK_FALSE(file_exists(log));
    for (const std::vector<std::string>& wrong : {std::vector<std::string>{"--yes"}, {"--install", "--tree"}})
      CHECK(install(wrong, "0").exit_code == 2);

    const ProgramResult done = install({"--install", "--yes"}, "0");
    CHECK(done.exit_code == 0);
    CHECK_THAT(done.out, Catch::Contains("host: 2 of 4 checks failed, 1 warning; build.sh would refuse this host\n") &&
                             Catch::Contains("\ninstalled; the same checks again:\n") &&
                             Catch::EndsWith("host: 0 of 4 checks failed, 0 warnings\n"));
    CHECK(read_file(log) == "apt-get noninteractive install --yes libsox-dev\n-m pip install numpy<1.19 pyyaml<5.4\n");
    CHECK_THAT(install({"--install"}, "0").out, Catch::EndsWith("no package is missing, nothing to install\n"));

    remove_tree(log);
    tree.write("../host/apt-get", "#!/bin/sh\nexit 1\n");
    CHECK(install({"--install", "--yes"}, "0").err ==
          "check.sh: --install: the command failed; see its output above\n");
  }
}

/// Runs check.sh on a terminal of `columns`, with `answer` typed there.
ProgramResult run_at_terminal(const OutTree& tree, const std::string& arguments, const std::string& answer,
                              const test::Variables& variables) {
  const std::string command = concat("stty -echo cols 56; sh ", tree.root(), "/torchpatch/check.sh ", arguments);
  ProgramRun run;
  run.argv = {"/bin/sh", "-c", concat("printf '", answer, "\\n' | script -qec '", command, "' /dev/null")};
  run.environment = variables;
  run.environment.emplace_back("PATH", tree.temp() + "/host:/usr/bin:/bin");
  run.timeout = std::chrono::seconds(60);
  ProgramResult result = run_program(run);
  std::erase(result.out, '\r');
  return result;
}

TEST_CASE("check.sh: on a terminal it asks, colours and breaks lines at the terminal's width") {
  OutTree tree;
  fill_lacking_tree(tree, "3.5.2");
  const std::string log = tree.temp() + "/log";
  const std::string plain = run_at_terminal(tree, "", "", {{"TERM", "xterm"}, {"NO_COLOR", "1"}}).out;
  CHECK_THAT(plain, Catch::Contains("FAIL sox: does not compile and link, need libsox-dev\n"
                                    "     (who); known issue an-issue\n") &&
                        !Catch::Contains("\033"));
  CHECK_THAT(run_at_terminal(tree, "", "", {{"TERM", "xterm"}}).out, Catch::Contains("\033[31mFAIL\033[0m sox: does"));
  CHECK_THAT(run_at_terminal(tree, "--install", "n", {{"LOG", log}}).out,
             Catch::EndsWith("run this? [y/N] check.sh: --install: nothing was installed\n"));
  CHECK_FALSE(file_exists(log));
  CHECK_THAT(run_at_terminal(tree, "--install", "y", {{"LOG", log}}).out,
             Catch::Contains("run this? [y/N] installed; the same checks again:\n"));
  CHECK(file_exists(log));
}

TEST_CASE("check.sh: breaks lines at 80 columns, or at COLUMNS") {
  OutTree tree;
  tree.manifest.environment.clear();
  HostRequirement long_one = requirement(HostProbe::works, "wheel", std::string(47, 'w'));
  long_one.advice = "twenty words, of which this is the first line, and more words of which this is the second";
  tree.requirements = {long_one};
  tree.seal();
  write_programs(tree, {{"python3", "exit 1"}});
  const auto check = [&](const std::string& columns) {
    test::Variables variables = {{"PATH", tree.temp() + "/host:/usr/bin:/bin"}};
    if (!columns.empty()) variables.emplace_back("COLUMNS", columns);
    return tree.run(test::script_shells()[0], "check.sh", {}, variables).out;
  };
  for (const char* const columns : {"", "80", "none"})
    CHECK_THAT(check(columns),
               Catch::Contains("FAIL wheel: not found, need " + std::string(47, 'w') +
                               "\n     (who); known issue an-issue\n"
                               "     twenty words, of which this is the first line, and more words of which this\n"
                               "     is the second\n"));
  CHECK_THAT(check("200"), Catch::Contains(" (who); known issue an-issue\n     " + long_one.advice + "\n"));
  CHECK_THAT(check("1"), Catch::Contains("\n     twenty words, of which this is the\n     first line,"));
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
    return said(result.out, "OK   USE_LMDB: found");
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
  CHECK(verdict() == "OK   USE_LMDB: found");
}

TEST_CASE("missing_sources: only a submodule that the build reads has a slash at its end") {
  Manifest manifest;
  manifest.release = "1.8.1";
  manifest.gaps = {{{Component::torch, ""}, "android/libs/fbjni", FileMode::gitlink, {}},
                   {{Component::torch, ""}, "third_party/onnx", FileMode::gitlink, {}},
                   {{Component::audio, ""}, "third_party/transducer/submodule", FileMode::gitlink, {}}};
  const auto listed = [&] { return join(record::missing_sources(manifest), " "); };
  CHECK(listed() == "pytorch/android/libs/fbjni pytorch/third_party/onnx/ audio/third_party/transducer/submodule");
  manifest.environment.push_back({});
  manifest.environment.back().name = "BUILD_TRANSDUCER";
  CHECK_THAT(listed(), Catch::EndsWith(" audio/third_party/transducer/submodule/"));
  manifest.release = "1.9.0";
  CHECK_THAT(listed(), Catch::StartsWith("pytorch/android/libs/fbjni/ "));
}

}  // namespace
}  // namespace torchpatch::report
