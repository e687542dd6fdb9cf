// SPDX-License-Identifier: BSD-3-Clause
#include "command/toy_workspace.h"
#include "support/catch.h"
#include "support/file.h"
#include "support/json.h"
#include "support/source_directory.h"
#include "support/text.h"

using namespace torchpatch;
using test::CliResult;
using test::TestWorkspace;

namespace {

Json json_file(const std::string& path) {
  Findings findings;
  return *parse_json(read_file(path), path, 1, findings);
}

Json json_of(const CliResult& result) {
  INFO(result.err);
  Findings findings;
  return *parse_json(result.out, "stdout", 1, findings);
}

/// Works on the shipped catalog.
struct Diagnosing : TestWorkspace {
  Diagnosing() { set_variable("TORCHPATCH_DATA", test::source_directory()); }

  CliResult diagnose(const std::string& log, std::vector<std::string> options = {}) {
    write_file_atomically(path("log"), log);
    options.insert(options.begin(), {"diagnose", path("log")});
    return run(options);
  }
};

}  // namespace

TEST_CASE("diagnose: the cases that a page is held to, too") {
  Diagnosing workspace;
#ifdef TORCHPATCH_SANITIZED
  constexpr std::size_t kStep = 5;  // a run takes a second there
#else
  constexpr std::size_t kStep = 1;
#endif
  std::vector<Json> cases = json_file(test::source_directory() + "/tests/data/diagnose/cases.json").items;
  for (std::size_t i = 0; i < cases.size(); i += kStep) {
    Json& each = cases[i];
    std::string log;
    for (const Json& line : each["log"].items) log += line.string + "\n";
    INFO(log);
    const CliResult result = workspace.diagnose(log, {"--json"});
    Json found = json_of(result);
    CHECK(result.exit_code == (each["first"].string.empty() ? 1 : 0));
    CHECK(found["matches"].items.empty() == each["first"].string.empty());
    if (found["matches"].items.empty() || each["first"].string.empty()) continue;
    Json& first = found["matches"].items[0];
    CHECK(first["issue"].string == each["first"].string);
    CHECK(first["confidence"].string == each["confidence"].string);
    CHECK(first["number"].integer == each["number"].integer);
  }
}

TEST_CASE("diagnose: what concerns release and board comes first, and what prepare answers is said") {
  Diagnosing workspace;
  const std::string log =
      "nvlink error : entry function 'x' with max regcount of 80 calls function 'y' with regcount of 96";
  const CliResult here = workspace.diagnose(log, {"--version", "1.1.0", "--board", "tx2"});
  CHECK(here.exit_code == 0);
  CHECK_THAT(here.out, Catch::Contains("match    nccl-device-link") &&
                           Catch::Contains("prepare fixes it: fix nccl-default (patch, variant 1.1)\n"));
  const std::string unknown = workspace.diagnose(log).out;
  CHECK(unknown.find("\n      do: ") == unknown.rfind("\n      do: "));
  const CliResult elsewhere = workspace.diagnose(log, {"--version", "1.1.0", "--board", "zcu104"});
  CHECK_THAT(elsewhere.out, Catch::Contains("possible nccl-device-link") && Catch::Contains("not expected here"));
  const std::string crash = "Illegal instruction (core dumped)";
  CHECK_THAT(workspace.diagnose(crash).out, Catch::Contains("Matching known issues\n  possible illegal-instruction"));
  CHECK_THAT(workspace.diagnose(crash, {"--version", "2.6.0", "--board", "rpi4"}).out,
             Catch::Contains("(raspios-13-64)\n  possible sve-autodetect"));
  Json json = json_of(workspace.diagnose(log, {"--version", "1.1.0", "--board", "tx2", "--json"}));
  CHECK(json["release"].string == "1.1.0");
  CHECK(json["matches"].items[0]["status"].string == "applied");
  CHECK(json["matches"].items[0]["fix"].string == "nccl-default");
}

TEST_CASE("diagnose: advises nobody to build without what he misses") {
  Diagnosing workspace;
  const std::string log = "AttributeError: module 'torch.distributed' has no attribute 'init_process_group'";
  const std::string advice = "\n      with a wheel: Install a wheel with torch.distributed";
  for (const std::vector<std::string>& target :
       {std::vector<std::string>{}, std::vector<std::string>{"--version", "1.10.2", "--board", "rpi4"}}) {
    const std::string out = workspace.diagnose(log, target).out;
    CHECK_THAT(out, Catch::Contains("distributed-off") && Catch::Contains(advice) && !Catch::Contains("as requested"));
    CHECK((out.find("the running torch was probably not built from this plan") != std::string::npos) ==
          !target.empty());
  }
  CHECK_THAT(workspace.diagnose(log, {"--version", "1.10.2", "--board", "rpi4", "--set", "distributed=false"}).out,
             Catch::Contains("\n      prepare fixes it: fix distributed-off (environment)\n"
                             "      fix: Build without torch.distributed, as requested: USE_DISTRIBUTED=0\n"));
}

TEST_CASE("diagnose: says what it took for granted, and what would make it more exact") {
  Diagnosing workspace;
  const std::string log = "Illegal instruction (core dumped)";
  CHECK_THAT(workspace.diagnose(log).out, Catch::EndsWith("More exact with --version and --board.\n"));
  const auto tx2 = [&](const std::string& option, const std::string& value) {
    return workspace.diagnose(log, {"--version", "1.1.0", "--board", "tx2", option, value}).out;
  };
  const std::string assumed = "image jetpack-3.3 assumed; use --image to change it\n";
  CHECK_THAT(tx2("--set", "gcc=7.5"), Catch::EndsWith(assumed));
  CHECK_THAT(tx2("--image", "jetpack-3.3"), !Catch::Contains("assumed") && !Catch::Contains("More exact"));
}

TEST_CASE("diagnose: a board or a version alone puts what cannot be of it last") {
  Diagnosing workspace;
  const std::string log =
      "nvlink error : entry function 'x' with max regcount of 80 calls function 'y' with regcount of 96";
  const CliResult here = workspace.diagnose(log, {"--board", "tx2"});
  CHECK(here.exit_code == 0);
  CHECK_THAT(here.out, Catch::Contains("Matching known issues, for tx2\n  match    nccl-device-link") &&
                           !Catch::Contains("not expected") && Catch::EndsWith("More exact with --version.\n"));
  CHECK_THAT(workspace.diagnose(log, {"--board", "zcu104"}).out,
             Catch::Contains("possible nccl-device-link") && Catch::Contains("not expected here: gpu is false"));
  const std::string cmake = "CMake 3.27 or higher is required.  You are running version 3.22.1";
  CHECK_THAT(workspace.diagnose(cmake, {"--version", "1.1.0"}).out,
             Catch::Contains("for PyTorch 1.1.0\n  possible cmake-below-3.27") &&
                 Catch::Contains("not expected here: release 1.1.0 is not in") &&
                 Catch::EndsWith("More exact with --board.\n"));
  Json json = json_of(workspace.diagnose(log, {"--board", "tx2", "--image", "jetpack-3.3", "--json"}));
  CHECK(json["board"].string == "tx2");
  CHECK(json["image"].string == "jetpack-3.3");
  CHECK(json["release"].kind == Json::Kind::null);
  CHECK(workspace.diagnose("x", {"--board", "tx22"}).err ==
        "torchpatch: error: unknown board 'tx22'\nhint: similar: tx1, tx2; 'torchpatch list boards' lists all\n");
  CHECK_THAT(workspace.diagnose("x", {"--version", "1.1.9"}).err, Catch::Contains("unknown release '1.1.9'"));
}

TEST_CASE("diagnose: what to do with a wheel, and what to do when building") {
  Diagnosing workspace;
  const std::string wheel = "\n      with a wheel: Uninstall torchvision and install the one made for this torch";
  const std::string build = "Build the torchvision pinned by the release";
  const std::string run = workspace.diagnose("RuntimeError: operator torchvision::nms does not exist").out;
  CHECK_THAT(run, Catch::Contains(wheel) && !Catch::Contains(build));
  const std::string compile =
      workspace.diagnose("a.cu:5:10: fatal error: ATen/cuda/Atomic.cuh: No such file or directory").out;
  CHECK_THAT(compile, !Catch::Contains("with a wheel") && Catch::Contains("\n      do: " + build));
  const std::string either =
      workspace.diagnose("running build_ext\nModuleNotFoundError: No module named 'torch.utils.hipify'\n").out;
  CHECK_THAT(either, Catch::Contains(wheel) && Catch::Contains("\n      when you build: " + build));
  const std::vector<std::pair<std::string, std::string>> runs = {
      {"cuda-arch-unsupported", "RuntimeError: CUDA error: no kernel image is available for execution on the device"},
      {"illegal-instruction", "Illegal instruction (core dumped)"},
      {"runtime-library-missing", "OSError: libmpi_cxx.so.40: cannot open shared object file: No such file"}};
  for (const auto& [issue, line] : runs)
    CHECK_THAT(workspace.diagnose(line).out,
               Catch::Contains(issue) && Catch::Contains("\n      with a wheel: Install "));
  Json json = json_of(workspace.diagnose("Illegal instruction (core dumped)", {"--json"}));
  CHECK(json["matches"].items[0]["origin"].string == "run");
}

TEST_CASE("diagnose: names the package of the library that a line misses, of the image or of every system") {
  Diagnosing workspace;
  const auto out = [&](const std::string& library, std::vector<std::string> options) {
    return workspace
        .diagnose("ImportError: " + library + ": cannot open shared object file: No such file or directory\n",
                  std::move(options))
        .out;
  };
  CHECK_THAT(out("libgfortran.so.5", {}),
             Catch::Contains("\n      do: install the package libgfortran5\n") && !Catch::Contains("libopenmpi3"));
  CHECK_THAT(out("libmpi.so.40", {}),
             Catch::Contains("do: install the package libopenmpi3 or libopenmpi3t64 or libopenmpi40\n"));
  CHECK_THAT(out("libmpi.so.40", {"--board", "rpi4", "--image", "debian-12"}),
             Catch::Contains("do: install the package libopenmpi3\n"));
  CHECK_THAT(out("libcudnn.so.8", {}), !Catch::Contains("install the package"));
}

TEST_CASE("diagnose: what a plan cannot know lowers nothing, and what the text proves holds") {
  Diagnosing workspace;
  const std::string gcc = "CMake Error: GCC-9.3 or newer is required to compile PyTorch, but found 8.3.0";
  CHECK_THAT(workspace.diagnose(gcc, {"--version", "2.2.0", "--board", "rpi4"}).out,
             Catch::Contains("match    gcc-below-9.3") && Catch::Contains("the plan expects otherwise (gcc is "));
  const std::string cross = "/bin/sh: 1: /x/build/bin/protoc: Exec format error";
  CHECK_THAT(workspace.diagnose(cross, {"--version", "1.8.1", "--board", "rpi4"}).out,
             Catch::Contains("match    cross-host-tools") && !Catch::Contains("expects otherwise") &&
                 !Catch::Contains("not expected"));
  CHECK_THAT(workspace.diagnose(cross, {"--version", "1.8.1", "--board", "rpi4", "--set", "cross=false"}).out,
             Catch::Contains("possible cross-host-tools") && Catch::Contains("not expected here: cross is false"));
}

TEST_CASE("diagnose: the line stands as it is in the log, without colours") {
  Diagnosing workspace;
  const std::string line = "vec256_float_neon.h:255:11: error: ‘vld1q_f32_x2’ 在此作用域中尚未声明";
  CHECK_THAT(workspace.diagnose("\x1b[31m" + line + "\x1b[0m\n").out, Catch::Contains("line 1: " + line + "\n"));
  CHECK_THAT(workspace.diagnose("\tModuleNotFoundError: No module named 'torch._C'\n").out,
             Catch::Contains("line 1:  ModuleNotFoundError: No module named 'torch._C'\n"));
}

TEST_CASE("diagnose: the last error of a log is answered, or said to have no answer") {
  Diagnosing workspace;
  const std::string sure = "Compatibility with CMake < 3.5 has been removed from CMake.\n";
  CHECK_THAT(workspace.diagnose(sure + "Killed\n").out,
             Catch::Contains("possible out-of-memory") && Catch::Contains("line 2: Killed"));
  const std::string log = sure + "mine.c:3:1: error: 'x' frobnicated\nmake: *** [all] Error 2\n";
  CHECK_THAT(workspace.diagnose(log).out,
             Catch::Contains("No known issue matches the last error, line 2: mine.c:3:1: error: 'x' frobnicated\n"));
  CHECK(json_of(workspace.diagnose(log, {"--json"}))["unanswered"]["number"].integer == 2);
}

TEST_CASE("diagnose: one word finds pages, as on the site") {
  Diagnosing workspace;
  CHECK_THAT(workspace.diagnose("NCCL\n").out,
             Catch::Contains("possible nccl-backend-missing") && Catch::Contains("example log line: RuntimeError: "));
}

TEST_CASE("diagnose: nothing is better than something wrong, and then says where to go on") {
  Diagnosing workspace;
  for (const char* log : {"", "hello world", "make: *** [all] Error 2", "No such file or directory",
                          "-- disabling MKLDNN because USE_MKLDNN is not set", "Building wheel torch-1.1.0",
                          "ImportError: libfoo.so.3: cannot open shared object file: No such file or directory",
                          "c++ -O2 -Wall -Werror=format -fPIC -Ia -c a.cpp"}) {
    INFO(log);
    const CliResult result = workspace.diagnose(log);
    CHECK(result.exit_code == 1);
    CHECK_THAT(result.out, Catch::Contains("No known issue matches this text") && Catch::Contains("torchpatch doctor"));
  }
  Json json = json_of(workspace.diagnose("hello world", {"--json"}));
  CHECK(json["matches"].items.empty());
}

TEST_CASE("diagnose: the end of a long log counts") {
  Diagnosing workspace;
  std::string log;
  for (int i = 0; i < 200'000; ++i) log += concat("[", i, "/200000] c++ -c ", i, ".cpp\n");
  Json json =
      json_of(workspace.diagnose(log + "Compatibility with CMake < 3.5 has been removed from CMake.\n", {"--json"}));
  CHECK(json["matches"].items[0]["issue"].string == "cmake-4");
  CHECK(json["matches"].items[0]["number"].integer == 200'001);
}

TEST_CASE("diagnose: refuses what cannot be meant") {
  Diagnosing workspace;
  CHECK(workspace.diagnose("x", {"--image", "l4t-28.2"}).exit_code == 2);
  CHECK(workspace.diagnose("x", {"--version", "newest"}).err ==
        "torchpatch: error: --image, --set and --version newest need --board\n"
        "hint: see 'torchpatch diagnose --help'\n");
  CHECK(workspace.diagnose("x", {"--tree", workspace.path("none"), "--board", "tx2"}).exit_code == 2);
  CHECK(workspace.diagnose("x", {"--tree", workspace.path("none")}).exit_code == 7);
  CHECK(workspace.run({"diagnose", workspace.path("none")}).exit_code == 7);
  const CliResult word = workspace.run({"diagnose", "a word"});
  CHECK(word.exit_code == 7);
  CHECK(word.err ==
        "torchpatch: error: opening 'a word': no such file\n"
        "hint: for a line or a word: echo 'a word' | torchpatch diagnose\n");
}

TEST_CASE("diagnose --tree: what the tree already fixes is rebuilt") {
  Diagnosing workspace;
  make_directories(workspace.path("out"));
  REQUIRE(workspace
              .run({"prepare", "--version", "1.1.0", "--board", "tx2", "--source", "sample", "--quiet", "--output",
                    workspace.path("out/tree")})
              .exit_code == 0);
  workspace.write("log",
                  "nvlink error : entry function 'x' with max regcount of 80 calls function 'y' with regcount of 96");
  CHECK_THAT(
      workspace.run({"diagnose", workspace.path("log"), "--tree", workspace.path("out/tree")}).out,
      Catch::Contains("already fixed in this tree: fix nccl-default (patch, variant 1.1); if this is the tree's own "
                      "log, remove pytorch/build and build again\n"));
}
