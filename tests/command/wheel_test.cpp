// SPDX-License-Identifier: BSD-3-Clause
// What wheel check and wheel fix-names say; what they judge is the business of tests/wheels.
#include <map>
#include <string>

#include "archive/write_archive.h"
#include "support/catch.h"
#include "support/digest.h"
#include "support/file.h"
#include "support/run_cli.h"
#include "support/source_directory.h"
#include "trees/wheel/wheel.h"

using namespace torchpatch;
using test::CliResult;
using test::TestWorkspace;

namespace {

constexpr const char* kName = "torch-1.8.1-cp39-cp39-linux_aarch64.whl";

struct WheelWorkspace : TestWorkspace {
  WheelWorkspace() { set_variable("TORCHPATCH_DATA", test::source_directory()); }

  /// Writes a wheel of torch 1.8.1 with these files, and returns its path.
  std::string wheel(const std::string& name, std::map<std::string, std::string> files) {
    const std::string information = "torch-1.8.1.dist-info";
    files.try_emplace(information + "/METADATA", "Metadata-Version: 2.1\nName: torch\nVersion: 1.8.1\n\n");
    files[information + "/WHEEL"] = "Wheel-Version: 1.0\nTag: cp39-cp39-linux_aarch64\n\n";
    std::string bytes, record;
    archive::ZipWriter zip([&](std::string_view more) { bytes += more; }, name);
    for (const auto& [path, content] : files) {
      zip.add(path, content, false);
      record += concat(path, ",", trees::record_digest(sha256(content)), ",", content.size(), "\n");
    }
    zip.add(information + "/RECORD", record + information + "/RECORD,,\n", false);
    zip.finish();
    write(name, bytes);
    return path(name);
  }

  CliResult check(std::vector<std::string> arguments) {
    std::vector<std::string> line = {"wheel", "check"};
    line.insert(line.end(), arguments.begin(), arguments.end());
    return run(line);
  }
};

/// A library for aarch64 that needs glibc 2.34, looks in /opt, and calls code for ARMv8.1.
std::string library() { return read_file(test::source_directory() + "/tests/fuzz/seeds/elf/called_stripped"); }

}  // namespace

TEST_CASE("kernels: lists those that the board's GPU cannot launch in large blocks") {
  WheelWorkspace workspace;
  for (const std::string name : {"kernels", "kernels_packed"}) {
    const std::string bytes = read_file(test::source_directory() + "/tests/fuzz/seeds/elf/" + name);
    workspace.write("x.so", bytes);
    const std::string wheel =
        workspace.wheel(kName, {{"torch/lib/libtorch_cuda.so", bytes}, {"torch/_C.so", library()}});
    const CliResult result = workspace.run({"kernels", wheel, workspace.path("x.so"), "--board", "tx2"});
    CHECK(result.exit_code == 0);
    const std::string table =
        "most  registers  bound  launched with  kernel\n"
        "384   72         512    -              bounded\n"
        "512   57         -      -              kernel(float*)\n";
    const std::string counts = ": 2 kernels for sm_62; 2 fail in blocks of 1,024 threads or of their launch bound\n";
    CHECK(result.out == concat("torch/lib/libtorch_cuda.so", counts, table, "\n$TMP/x.so", counts, table));
    CHECK(workspace.run({"kernels", wheel, "--board", "tx2", "--json"}).exit_code == 0);
    CHECK(workspace.run({"kernels", wheel, "--board", "orin-nano"}).out == "no kernels for sm_87\n");
  }
  const CliResult none = workspace.run({"kernels", workspace.path("x.so"), "--board", "rpi4"});
  CHECK(none.exit_code == 2);
  CHECK_THAT(none.err, Catch::Contains("board 'rpi4' has no GPU with a known number of registers"));
}

TEST_CASE("kernels: a kernel whose launch an issue lists fits or fails, of the wheel's release") {
  WheelWorkspace workspace;
  const auto page = [](const std::string& id, const std::string& launches) {
    return concat("# Title of ", id, "\n\n```json\n{\"schema\": 1, \"id\": \"", id,
                  "\", \"severity\": \"limitation\", \"releases\": [\">=1.8\"], \"symptoms\": [\"no such thing as ", id,
                  "\"], \"launches\": [", launches, "], \"fixes\": [{\"id\": \"avoid-", id,
                  "\", \"kind\": \"advice\", \"summary\": \"Avoid it\"}]}\n```\n\n"
                  "## Symptom\n\na\n\n## Cause\n\nb\n\n## Fix\n\nc\n\n## How to verify\n\nd\n");
  };
  const auto launch = [](const std::string& operation, const std::string& function, const std::string& releases,
                         int threads) {
    return concat("{\"operation\": \"", operation, "\", \"functions\": [\"other\", \"", function,
                  "\"], \"releases\": \"", releases, "\", \"threads\": ", threads, "}");
  };
  const std::string bytes = read_file(test::source_directory() + "/tests/fuzz/seeds/elf/kernels");
  const std::string wheel = workspace.wheel("torch-1.8.1-cp36-cp36m-linux_aarch64.whl", {{"torch/lib/libx.so", bytes}});
  workspace.write("x.so", bytes);
  const auto verdict = [&](const std::string& file, const std::string& launches) {
    workspace.write("layer/known_issues/some-launch.md", page("some-launch", launches));
    const CliResult result =
        workspace.run({"kernels", file, "--board", "tx2", "--json", "--catalog", workspace.path("layer")});
    const std::size_t at = result.out.find("\"name\": \"_Z6kernelPf\"");
    REQUIRE(at != std::string::npos);
    const std::size_t start = result.out.find("\"verdict\": \"", at) + 12;
    return result.out.substr(start, result.out.find('"', start) - start);
  };
  const std::string half = launch("half", "kernel", ">=1.8", 512);
  CHECK(verdict(wheel, half) == "fits");
  CHECK(verdict(wheel, half + "," + launch("all", "kernel", "<1.9", 1024)) == "fails");
  CHECK(verdict(wheel, launch("all", "kernel", ">=1.9", 1024)) == "limited");
  CHECK(verdict(workspace.path("x.so"), launch("all", "kernel", ">=1.9", 1024)) == "fails");  // no release is known
  CHECK(verdict(wheel, launch("all", "kern", ">=1.8", 1024)) == "limited");
  CHECK(verdict(wheel, launch("all", "ernel", ">=1.8", 1024)) == "limited");
  workspace.write("layer/known_issues/some-launch.md",
                  page("some-launch", launch("all of it", "kernel", ">=1.8", 1024)));
  CHECK_THAT(workspace.run({"kernels", wheel, "--board", "tx2", "--catalog", workspace.path("layer")}).out,
             Catch::Contains("512   57         -      1024: all of it  kernel(float*)\n"));
  CHECK_THAT(
      workspace.check({wheel, "--board", "tx2", "--image", "jetpack-4.6", "--catalog", workspace.path("layer")}).out,
      Catch::Contains(
          "note: PyTorch as released launches all of it with 1024 threads, more than its kernel can have, tx2 "
          "has 32768 registers for a block: torch/lib/libx.so (some-launch)"));
}

TEST_CASE("wheel check: kernels that cannot be launched, and a torch for the CPU alone") {
  WheelWorkspace workspace;
  const std::string kernels = read_file(test::source_directory() + "/tests/fuzz/seeds/elf/kernels");
  const std::string name = "torch-1.8.1-cp36-cp36m-linux_aarch64.whl";
  const std::vector<std::string> on_tx2 = {"--board", "tx2", "--image", "jetpack-4.6"};
  const auto check = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), on_tx2.begin(), on_tx2.end());
    return workspace.check(arguments);
  };
  const CliResult launched = check({workspace.wheel(name, {{"torch/lib/libtorch_cuda.so", kernels}})});
  CHECK_THAT(launched.out,
             Catch::Contains("has the kernel bounded for blocks of 512 threads with 72 registers each, tx2 has 32768 "
                             "registers for a block") &&
                 Catch::Contains("has 1 kernel that cannot be launched with 1024 threads") &&
                 !Catch::Contains("CPU only"));
  const std::string cpu = workspace.wheel(name, {{"torch/lib/libtorch.so.1.debug", library()}});
  CHECK_THAT(check({cpu}).out, Catch::Contains(", CPU only, on tx2") && Catch::Contains("note: has no code for a GPU"));
  CHECK(check({cpu, "--require-gpu", "--json"}).exit_code == 1);
  CHECK_THAT(check({cpu, "--require-gpu", "--json"}).out, Catch::Contains("\"cpu_only\": true"));
}

TEST_CASE("wheel check: says the verdict, what is in the way and what to do, and exits with 1") {
  WheelWorkspace workspace;
  const std::string file = workspace.wheel(kName, {{"torch/_C.cpython-39-x86_64-linux-gnu.so", library()}});
  const CliResult result = workspace.check({file, "--board", "rpi4", "--image", "debian-11"});
  CHECK(result.exit_code == 1);
  const std::string module = ": torch/_C.cpython-39-x86_64-linux-gnu.so";
  CHECK(result.out ==
        concat(
            "$TMP/", kName, ": will not import on rpi4 (debian-11)\n",
            "will not import: its name ends with .cpython-39-x86_64-linux-gnu.so, Python 3.9 accepts "
            ".cpython-39-aarch64-linux-gnu.so, .abi3.so, .so",
            module, " (extension-names-cross)\nwill not import: needs GLIBC_2.34 of libc.so.6, debian-11 has 2.31",
            module,
            " (glibc-too-new)\nmay crash: has 1 instruction of lse in 0x454 (called by count), rpi4 (-mcpu=cortex-a72) "
            "lacks them",
            module, " (illegal-instruction)\nnote: needs libgomp.so.1, debian-11 has it in the package libgomp1",
            module, "\nnote: looks for libraries in /opt, which is outside of the wheel", module,
            "\n\nwhat to do\n  'torchpatch wheel fix-names' renames it if it is for that Python\n"
            "  build it with the image's own libraries, or in a root of its system: torchpatch recipe\n"
            "  install another release or build of it; or build it: torchpatch prepare --version 1.8.1 --board rpi4 "
            "--build-target generic\n"
            "  libraries there can be loaded instead of the wheel's; patchelf --set-rpath '$ORIGIN' "
            "removes it\n"));
  const CliResult json = workspace.check({file, "--board", "rpi4", "--image", "debian-11", "--json"});
  CHECK(json.exit_code == 1);
  CHECK_THAT(json.out,
             Catch::Contains("\"verdict\": \"will_not_import\"") && Catch::Contains("\"rule\": \"symbol_version\"") &&
                 Catch::Contains("\"image\": \"debian-11\"") && Catch::Contains("\"issue\": \"glibc-too-new\""));
}

TEST_CASE("wheel check: an instruction that an issue of the wheel's release is about has that issue's advice") {
  WheelWorkspace workspace;
  const auto check = [&](const std::string& name, const std::string& version) {
    const std::string file =
        workspace.wheel(concat(name, "-", version, "-cp311-cp311-linux_aarch64.whl"),
                        {{name + "/_C.so", library()},
                         {"torch-1.8.1.dist-info/METADATA",
                          concat("Metadata-Version: 2.1\nName: ", name, "\nVersion: ", version, "\n\n")}});
    return workspace.check({file, "--board", "rpi4", "--image", "debian-12"}).out;
  };
  CHECK_THAT(check("torch", "2.10.0+cpu"),
             Catch::Contains(" (mimalloc-lse)\n") &&
                 Catch::Contains("\n  Install torch 2.11 or later; upstream's wheel of 2.10.0 cannot be imported "
                                 "on a core without LSE (Cortex-A53, A57, A72, A73); or build it: torchpatch prepare "
                                 "--version 2.10.0 --board rpi4 --build-target generic --with without-mimalloc\n"));
  CHECK_THAT(check("torch", "2.11.0"), Catch::Contains(" (illegal-instruction)\n") && !Catch::Contains("mimalloc-lse"));
  CHECK_THAT(check("torchvision", "0.25.0"),
             !Catch::Contains("mimalloc-lse") && Catch::Contains("or build it: torchpatch prepare --version 2.10.0"));
  CHECK_THAT(check("other", "1"),
             Catch::Contains("\n  install another release or build of it, or compile it with -mcpu=cortex-a72\n"));
}

TEST_CASE("wheel check: one that works is said to, and exits with 0") {
  WheelWorkspace workspace;
  const CliResult result =
      workspace.check({workspace.wheel(kName, {{"torch/__init__.py", ""}}), "--board", "rpi4", "--image", "debian-11"});
  CHECK(result.exit_code == 0);
  CHECK(result.out == concat("$TMP/", kName, ": works on rpi4 (debian-11)\n"));
}

TEST_CASE("wheel check: one that works after packages are installed names the command, and exits with 8") {
  WheelWorkspace workspace;
  std::string bytes = library();
  for (std::size_t at = 0; (at = bytes.find("libgomp.so.1", at)) != std::string::npos;)
    bytes.replace(at, 12, "libblas.so.3");
  const std::string file = workspace.wheel("torch-2.1.2-cp311-cp311-linux_aarch64.whl", {{"torch/_C.so", bytes}});
  const auto check = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {file, "--board", "graviton2", "--image", "debian-12"});
    return workspace.check(more);
  };
  const CliResult result = check({});
  CHECK(result.exit_code == 8);
  CHECK_THAT(
      result.out,
      Catch::StartsWith(
          "$TMP/torch-2.1.2-cp311-cp311-linux_aarch64.whl: works once installed on graviton2 (debian-12)\n") &&
          Catch::Contains("works once installed: needs libblas.so.3, debian-12 has it in the package libblas3: ") &&
          Catch::Contains("\nwhat to do\n  on the board, as root: apt-get install --yes libblas3\n"));
  CHECK_THAT(check({"--json"}).out, Catch::Contains("\"ok\": true") &&
                                        Catch::Contains("\"verdict\": \"works_once_installed\"") &&
                                        Catch::Contains("\"install\": \"apt-get install --yes libblas3\""));
}

TEST_CASE("wheel check: without --image takes the newest image that the tags fit, and says so") {
  WheelWorkspace workspace;
  const auto image = [&](const std::string& name) {
    const std::string out = workspace.check({workspace.wheel(name, {{"x/__init__.py", ""}}), "--board", "rpi4"}).out;
    const std::size_t at = out.find("\nimage ");
    return at == std::string::npos ? out : out.substr(at + 1, out.find('\n', at + 1) - at - 1);
  };
  const std::string fits = ": the newest image that the wheel's tags fit; use --image to change it";
  CHECK(image("numpy-2.2.0-cp311-cp311-manylinux_2_17_aarch64.whl") == "image debian-12" + fits);
  CHECK(image("numpy-1.19.5-cp36-cp36m-manylinux2014_aarch64.whl") == "image ubuntu-18.04" + fits);
  CHECK(image("six-1.16.0-py2.py3-none-any.whl") == "image ubuntu-26.04" + fits);
  CHECK(image("x-1-cp39-cp39-linux_armv7l.whl") == "image raspios-11-32" + fits);  // 3.9 is Ubuntu's second
  CHECK(image("x-1-cp38-cp38-linux_armv7l.whl") == "image ubuntu-20.04-32" + fits);
  CHECK(image("x-1-cp34-cp34m-linux_aarch64.whl") ==
        "image raspios-10-32: the board's first image: no image fits the tags; use --image to change it");
  CHECK(image("torch-1.8.1-cp36-cp36m-linux_aarch64.whl") ==
        "image raspios-11-64: the board's default for release 1.8.1; use --image to change it");
}

TEST_CASE("wheel fix-names: says in JSON that no name is wrong") {
  WheelWorkspace workspace;
  const std::string file = workspace.wheel(kName, {{"torch/__init__.py", ""}});
  const CliResult result = workspace.run({"wheel", "fix-names", file, "--board", "rpi4", "--image", "debian-11",
                                          "--output", workspace.path("fixed"), "--json"});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, Catch::Contains("\"output\": null,\n  \"modules\": [],\n  \"platform\": null\n"));
  CHECK(type_at(workspace.path("fixed")) == 0);
}

TEST_CASE("wheel check: says what it cannot read") {
  WheelWorkspace workspace;
  workspace.write("a.whl", "no archive");
  const auto error_of = [&](std::vector<std::string> line) { return workspace.check(std::move(line)).err; };
  CHECK_THAT(error_of({workspace.path("a.whl"), "--board", "rpi4"}),
             Catch::StartsWith("torchpatch: error: reading the archive '$TMP/a.whl': it is not a zip, or it is "
                               "truncated: no end record found\n"));
  CHECK_THAT(error_of({workspace.path("none.whl"), "--board", "rpi4"}),
             Catch::StartsWith("torchpatch: error: opening the wheel '$TMP/none.whl': No such file or directory"));
  CHECK(error_of({"--board", "rpi4"}) ==
        "torchpatch: error: no wheel given\nhint: see 'torchpatch wheel check --help'\n");
  CHECK_THAT(error_of({workspace.path("a.whl"), "--board", "rpi44"}), Catch::Contains("unknown board 'rpi44'"));
  CHECK_THAT(error_of({workspace.path("a.whl"), "--board", "rpi4", "--image", "debian-99"}),
             Catch::Contains("debian-99"));
}

TEST_CASE("wheel check: refuses what programs read in different ways, and paths that leave the wheel") {
  WheelWorkspace workspace;
  std::string bytes;
  archive::ZipWriter zip([&](std::string_view more) { bytes += more; }, "test");
  zip.add("../outside", "x", false);
  zip.finish();
  workspace.write(kName, bytes);
  const CliResult result = workspace.check({workspace.path(kName), "--board", "rpi4"});
  CHECK(result.exit_code == 6);
  CHECK_THAT(result.err, Catch::Contains("the member '../outside'"));
  workspace.write(kName, "#!/bin/sh\n" + bytes);
  CHECK(workspace.check({workspace.path(kName), "--board", "rpi4"}).err ==
        concat("torchpatch: error: reading the archive '$TMP/", kName,
               "': its central directory does not end where its end record begins\nhint: different programs may "
               "extract different files from it: rebuild it or download it again\n"));
}

TEST_CASE("wheel fix-names: refuses what a name does not change") {
  WheelWorkspace workspace;
  const std::string file = workspace.wheel("torch-1.8.1-cp38-cp38-linux_x86_64.whl", {{"torch/__init__.py", ""}});
  const CliResult result = workspace.run(
      {"wheel", "fix-names", file, "--board", "rpi4", "--image", "debian-11", "--output", workspace.path("out/below")});
  CHECK(result.exit_code == 2);
  CHECK(type_at(workspace.path("out")) == 0);
  CHECK(result.err ==
        "torchpatch: error: naming the modules of '$TMP/torch-1.8.1-cp38-cp38-linux_x86_64.whl': it is for cp38-cp38, "
        "and "
        "debian-11 "
        "has Python 3.9\nhint: renaming does not change the Python that it was compiled for: build it with the image's "
        "Python\n");
}

TEST_CASE("glibc_of_platform: knows what a name says, and no more than the table") {
  PlatformTable table;
  table.platforms.resize(2);
  table.platforms[0].id = "manylinux_2_17";
  table.platforms[0].aliases = {"manylinux2014"};
  table.platforms[0].limits = {{"GLIBC", *Version::parse("2.17")}};
  table.platforms[1].id = "of_a_layer";
  table.platforms[1].limits = {{"GLIBCXX", *Version::parse("3.4.19")}};
  CHECK(trees::glibc_of_platform(table, "manylinux_2_31") == Version::parse("2.31"));
  CHECK(trees::glibc_of_platform(table, "manylinux2014") == Version::parse("2.17"));
  CHECK_FALSE(trees::glibc_of_platform(table, "of_a_layer"));
  CHECK_FALSE(trees::glibc_of_platform(table, "manylinux_2_17_1"));
  CHECK_FALSE(trees::glibc_of_platform(table, "musllinux_1_2"));
}

TEST_CASE("meets_specifiers: holds for a Python of which some release meets all bounds") {
  const auto meets = [](const char* text, const char* python) {
    return trees::meets_specifiers(text, *Version::parse(python));
  };
  for (const char* const held :
       {"", ">=3.6", ">= 3.6.2", ">=3.6,<3.10", "~=3.6", "~=3.9.2", "==3.*", "==3.9.*", "==3.9.2", "!=3.8.*", "!=3.9.1",
        ">3.9", ">=3.9a1", "three", "<4,>=2.7,!=3.0.*", "===3.9.7"}) {
    INFO(held);
    CHECK(meets(held, "3.9"));
  }
  for (const char* const refused : {"<3", ">=3.10", "<3.9", "<=3.9", "~=3.8.2", "~=2.7", "==3.8.*", "==3.9", "!=3.9.*",
                                    "!=3.*", ">=3.6,<3.9", "==2.7"}) {
    INFO(refused);
    CHECK_FALSE(meets(refused, "3.9"));
  }
  CHECK(meets("<=3.9.2", "3.9.2"));
  CHECK_FALSE(meets("<=3.9.2", "3.9.5"));
}

TEST_CASE("WheelName: takes names of PEP 427 apart, and refuses others") {
  const auto name =
      trees::WheelName::parse("torch-1.8.1+cpu-7-cp39-cp39-manylinux_2_17_aarch64.manylinux2014_aarch64.whl");
  REQUIRE(name);
  CHECK(name->name == "torch");
  CHECK(name->version == "1.8.1+cpu");
  CHECK(name->build == "7");
  CHECK(name->python == "cp39");
  CHECK(name->platform == "manylinux_2_17_aarch64.manylinux2014_aarch64");
  for (const char* const wrong : {"torch-1.8.1-cp39-cp39-linux_aarch64", "torch-cp39-cp39-linux_aarch64.whl",
                                  "-1-a-b-c.whl", "torch-1-a-b-c-d-e.whl", "torch-1-a/b-c-d.whl", ".whl"})
    CHECK_FALSE(trees::WheelName::parse(wrong));
}
