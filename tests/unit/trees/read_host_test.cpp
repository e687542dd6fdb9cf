// SPDX-License-Identifier: BSD-3-Clause
#include "trees/doctor/doctor.h"

#include "support/catch.h"
#include "support/fake_host.h"
#include "support/text.h"

using namespace torchpatch;
using test::FakeHost;

namespace {

HostFacts read(const FakeHost& host, const std::map<std::string, std::string>& more = {},
               const std::string& nvcc_variable = "-") {
  trees::HostPlaces places{
      host.root(), host.root(), {{"PATH", host.path()}}, {"numpy", "pyyaml", "setuptools"}, nvcc_variable};
  places.variables.insert(more.begin(), more.end());
  return trees::read_host(places);
}

std::string version(const HostFacts& host, const std::string& tool) {
  const HostTool found = host.tool(tool);
  return found.version ? found.version->text() : found.is_missing ? "missing" : "unknown";
}

}  // namespace

TEST_CASE("read_host: reads the files of the root and asks the tools in PATH") {
  const FakeHost fake;
  const HostFacts host = read(fake);
  CHECK(host.arch == "aarch64");
  CHECK(host.os == "ubuntu-18.04");
  CHECK(host.cpu_features == std::vector<std::string>{"fp", "asimd", "evtstrm", "aes"});
  CHECK(host.processors == 4);
  CHECK(host.memory_mib == 8192);
  CHECK(host.swap_mib == 2048);
  CHECK(host.disk_mib.has_value());
  CHECK(version(host, "glibc") == "2.27");
  CHECK(version(host, "gcc") == "7.5.0");
  CHECK(version(host, "cmake") == "3.10.2");
  CHECK(version(host, "ninja") == "1.8.2");
  CHECK(version(host, "python") == "3.6.9");
  CHECK(version(host, "numpy") == "1.19.5");
  CHECK(host.tool("gcc").origin == fake.path() + "/gcc");
}

TEST_CASE("read_host: tells what is missing from what says nothing") {
  const FakeHost fake;
  fake.remove("gcc");
  fake.tool("cmake", "exit 1");
  const HostFacts host = read(fake);
  CHECK(version(host, "gcc") == "missing");
  CHECK(host.tool("gcc").origin == "'gcc' is not in PATH");
  CHECK(version(host, "cmake") == "unknown");
  CHECK(host.tool("cmake").origin == "'" + fake.path() + "/cmake' prints no version");
  CHECK(version(host, "setuptools") == "missing");
  CHECK(version(host, "pyyaml") == "unknown");
  CHECK(version(host, "cuda") == "missing");
  CHECK(version(host, "cudnn") == "missing");
  CHECK(version(host, "no such tool") == "unknown");
}

TEST_CASE("read_os: names Raspberry Pi OS and Amazon Linux as images do, whose os-release has other names") {
  const FakeHost fake;
  CHECK(trees::read_os(fake.root()) == "ubuntu-18.04");
  fake.write("etc/os-release", "ID=\"amzn\"\nVERSION_ID=\"2023\"\n");
  CHECK(trees::read_os(fake.root()) == "amazon-linux-2023");
  fake.write("etc/os-release", "ID=debian\nVERSION_ID=\"12\"\n");
  CHECK(trees::read_os(fake.root()) == "debian-12");
  fake.write("etc/rpi-issue", "Raspberry Pi reference 2023-12-05\n");
  CHECK(trees::read_os(fake.root()) == "raspios-12");
}

TEST_CASE("read_host: does not wait for a tool that hangs") {
  const FakeHost fake;
  fake.tool("cmake", "while :; do :; done");
  trees::HostPlaces places{fake.root(), fake.root(), {{"PATH", fake.path()}}, {}};
  places.patience = std::chrono::seconds(1);
  const HostFacts host = trees::read_host(places);
  CHECK(version(host, "cmake") == "unknown");
  CHECK(host.tool("cmake").origin == "'" + fake.path() + "/cmake' did not end in 1 seconds");
  // The others were asked all the same; on a busy machine they, too, may be given up after so short a time.
  CHECK_THAT(host.tool("gcc").origin, Catch::Contains(fake.path() + "/gcc"));
}

TEST_CASE("read_host: a root without files leaves their facts unknown") {
  const FakeHost fake;
  remove_tree(fake.root());
  const HostFacts host = read(fake);
  CHECK(host.os.empty());
  CHECK(host.cpu_features.empty());
  CHECK_FALSE(host.memory_mib.has_value());
  CHECK_FALSE(host.disk_mib.has_value());
}

TEST_CASE("read_host: a system of 32 bits on a kernel of 64") {
  const FakeHost fake;
  fake.tool("getconf", "[ $1 = LONG_BIT ] && echo 32");
  CHECK(read(fake).arch == "armv7l");
}

TEST_CASE("read_host: CUDA of nvcc, which need not be in PATH, else of its version file") {
  const FakeHost fake;
  fake.write("usr/local/cuda/version.txt", "CUDA Version 10.0.326\n");
  CHECK(version(read(fake), "cuda") == "10.0.326");
  fake.write("usr/local/cuda/version.json",
             "{\n   \"cuda\" : {\n      \"name\" : \"CUDA SDK\",\n      \"version\" : "
             "\"11.4.19\"\n   }\n}\n");
  CHECK(version(read(fake), "cuda") == "11.4.19");
  fake.tool("nvcc", "echo 'Copyright (c) 2005-2019 NVIDIA'; echo 'Cuda compilation tools, release 10.2, V10.2.300'");
  CHECK(version(read(fake), "cuda") == "10.2");
  fake.write("home/version.txt", "CUDA Version 9.0.252\n");
  fake.remove("nvcc");
  CHECK(version(read(fake, {{"CUDA_HOME", fake.root() + "/home"}}), "cuda") == "9.0.252");
}

TEST_CASE("read_host: the gcc that nvcc would use, and the newest that it accepts if that is refused") {
  const FakeHost fake;
  fake.tool("nvcc", R"sh(case "$*" in
  --version) echo 'release 11.2, V11.2.152' ;;
  *"-E -Xcompiler -dM -x c++ -D__CUDACC__ --pre-include crt/host_config.h /dev/null")
    version=10
    [ "$1" != -ccbin ] || version=${2#g++-}
    [ "$version" != cc ] || version=12
    printf '#define __GNUC_%s__ %s\n' MINOR 2 PATCHLEVEL 0
    echo "#define __GNUC__ $version"
    [ "$version" -le 10 ] || { echo 'host_config.h:139:2: error: #error -- unsupported GNU version! gcc versions later' \
      'than 10 are not supported! The nvcc flag' >&2; exit 1; } ;;
esac)sh");
  const auto gcc = [&](const std::string& variable, const std::map<std::string, std::string>& variables) {
    const HostFacts host = read(fake, variables, variable);
    return concat(version(host, "nvcc-gcc"),
                  host.newest_nvcc_gcc ? " too new, at most " + host.newest_nvcc_gcc->text() : "");
  };
  CHECK(gcc("-", {}) == "10.2.0");
  CHECK(gcc("-", {{"CC", "g++-9"}}) == "10.2.0");
  CHECK(gcc("CC", {}) == "12.2.0 too new, at most 10");
  CHECK(gcc("CC", {{"CC", "ccache g++-9"}}) == "9.2.0");
  CHECK(gcc("CC", {{"CC", "g++-9"}, {"CUDAHOSTCXX", "g++-11"}}) == "11.2.0 too new, at most 10");
  fake.tool("nvcc",
            "printf '#define __GNUC__ 4\\n#define __GNUC_MINOR__ 2\\n#define __GNUC_PATCHLEVEL__ 1\\n#define __clang__ "
            "1\\n'");
  CHECK(gcc("CC", {}) == "unknown");
}

TEST_CASE("read_host: cuDNN of its header, before and since 8") {
  const FakeHost fake;
  fake.write("usr/include/cudnn.h", "#define CUDNN_MAJOR 7\n#define CUDNN_MINOR 6\n#define CUDNN_PATCHLEVEL 3\n");
  CHECK(version(read(fake), "cudnn") == "7.6.3");
  fake.write("usr/local/cuda/include/cudnn_version.h",
             "#define CUDNN_MAJOR 8\n#define CUDNN_MINOR 2\n#define CUDNN_PATCHLEVEL 1\n");
  CHECK(version(read(fake), "cudnn") == "8.2.1");
}

TEST_CASE("read_host: PYTHON names the Python that builds, and nothing is written beside it") {
  const FakeHost fake;
  fake.tool("python3.8", "[ \"$PYTHONDONTWRITEBYTECODE$LC_ALL\" = 1C ] && echo 3.8.10");
  CHECK(version(read(fake, {{"PYTHON", "python3.8"}, {"LC_ALL", "de_DE"}}), "python") == "3.8.10");
}

TEST_CASE("first_version: the numbers, without what surrounds them") {
  const auto text = [](const char* given) {
    const auto version = trees::first_version(given);
    return version ? version->text() : "none";
  };
  CHECK(text("cmake version 3.25.1\n\nCMake suite") == "3.25.1");
  CHECK(text("59.5.0.post1") == "59.5.0");
  CHECK(text("3.12.0rc1") == "3.12.0");
  CHECK(text("12") == "12");
  CHECK(text("no numbers.") == "none");
  CHECK(text("") == "none");
}
