// SPDX-License-Identifier: BSD-3-Clause
#include <filesystem>

#include "command/toy_workspace.h"
#include "support/catch.h"

using namespace torchpatch;
using test::CliResult;

namespace {

/// A certified upstream, used as the only mirror.
struct Workshop : test::ToyWorkspace {
  Workshop() { upstream.certify(); }
  CliResult prepare(const std::string& out, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> args = {"prepare",  "--version",       "1.1.0",    "--board", "small",
                                     "--mirror", upstream.mirror(), "--output", path(out), "--quiet"};
    args.insert(args.end(), more.begin(), more.end());
    return run(args);
  }
};

}  // namespace

TEST_CASE("prepare: writes the tree and says what it wrote") {
  const Workshop shop;
  const CliResult result = shop.prepare("out");
  CHECK(result.err.empty());
  REQUIRE(result.exit_code == 0);
  CHECK_THAT(result.out, Catch::StartsWith("prepared release 1.1.0 for small (one) in '$TMP/out'\n") ||
                             Catch::StartsWith("prepared release 1.1.0 for small (one) in $TMP/out\n"));
  CHECK_THAT(result.out, Catch::Contains("  sources   4 repositories, ") &&
                             Catch::Contains("  patch     block-limit V1 in torch: ") &&
                             Catch::Contains("  tree      swh:1:dir:"));
  CHECK(file_exists(shop.path("out/pytorch/setup.py")));
  CHECK(shop.run({"verify", shop.path("out")}).exit_code == 0);
}

TEST_CASE("prepare: --json prints the manifest") {
  const Workshop shop;
  const CliResult result = shop.prepare("out", {"--json"});
  CHECK(result.out == read_file(shop.path("out/torchpatch/manifest.json")));
}

TEST_CASE("prepare: --dry-run prints the plan and writes nothing") {
  const Workshop shop;
  const CliResult result = shop.prepare("out", {"--dry-run"});
  CHECK(result.exit_code == 0);
  CHECK(result.out == shop.run({"explain", "--version", "1.1.0", "--board", "small"}).out);
  CHECK_FALSE(file_exists(shop.path("out")));
}

TEST_CASE("prepare: --version newest prepares the release that it stands for, by default in a directory of its name") {
  const Workshop shop;
  const CliResult result = shop.run({"prepare", "--version", "newest", "--board", "small", "--mirror",
                                     shop.upstream.mirror(), "--output", shop.path("out")});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.err, Catch::StartsWith("release 1.1.0 is the newest certified one that fits board 'small'\n"));
  CHECK_THAT(read_file(shop.path("out/torchpatch/manifest.json")), Catch::Contains("\"release\": \"1.1.0\""));
}

TEST_CASE("prepare: a tag that names another commit is a warning, and an error with --strict-tags") {
  const Workshop shop;
  const std::string refs = shop.upstream.mirror() + "/torch/.git/packed-refs";
  const auto check = [&](const std::string& says) {
    const CliResult warned = shop.prepare("warned", {"--replace"});
    CHECK(warned.exit_code == 0);
    CHECK_THAT(warned.err, Catch::Contains("warning: tag 'v1.1.0' of torch " + says));
    const CliResult refused = shop.prepare("refused", {"--strict-tags"});
    CHECK(refused.exit_code == 4);
    CHECK_THAT(refused.err, Catch::Contains("error: tag 'v1.1.0' of torch " + says));
    CHECK_FALSE(file_exists(shop.path("refused")));
  };
  write_file_atomically(refs, std::string(40, '1') + " refs/tags/v1.1.0\n");
  check("names " + std::string(40, '1') + " in ");
  remove_tree(refs);
  make_directories(refs);
  check("cannot be checked: reading ");
}

TEST_CASE("prepare: an OUT that is there needs --replace") {
  const Workshop shop;
  REQUIRE(shop.prepare("out").exit_code == 0);
  const CliResult refused = shop.prepare("out");
  CHECK(refused.exit_code == 7);
  CHECK_THAT(refused.err, Catch::Contains("$TMP/out") && Catch::Contains("--replace"));
  CHECK(shop.prepare("out", {"--replace"}).exit_code == 0);
  shop.write("out/thesis.tex", "somebody's");
  const CliResult other = shop.prepare("out", {"--replace"});
  CHECK(other.exit_code == 7);
  CHECK_THAT(other.err, Catch::Contains("torchpatch did not write 'thesis.tex'"));
  CHECK(read_file(shop.path("out/thesis.tex")) == "somebody's");
}

TEST_CASE("prepare --replace: writes over changed files and what a build made, and keeps what somebody added") {
  const Workshop shop;
  REQUIRE(shop.prepare("out").exit_code == 0);
  shop.write("out/pytorch/setup.py", "# edited\n");
  shop.write("out/pytorch/build/CMakeCache.txt", "");
  CHECK(shop.prepare("out", {"--replace"}).exit_code == 0);
  for (const char* added : {"out/pytorch/.git/HEAD", "out/pytorch/notes.txt", "out/torchpatch/notes.txt"}) {
    INFO(added);
    shop.write(added, "somebody's");
    const CliResult refused = shop.prepare("out", {"--replace"});
    CHECK(refused.exit_code == 7);
    CHECK_THAT(refused.err, Catch::Contains("torchpatch did not write"));
    CHECK(read_file(shop.path(added)) == "somebody's");
    remove_tree(shop.path(added));
    remove_tree(shop.path("out/pytorch/.git"));
  }
  shop.write("forged/torchpatch/manifest.json", "{}");
  shop.write("forged/pytorch/thesis.tex", "somebody's");
  CHECK(shop.prepare("forged", {"--replace"}).exit_code == 7);
  CHECK(read_file(shop.path("forged/pytorch/thesis.tex")) == "somebody's");
}

TEST_CASE("prepare: a report that cannot be written is told apart from the tree") {
  const Workshop shop;
  const CliResult result = shop.prepare("out", {"--report", "/dev/full"});
  CHECK(result.exit_code == 7);
  CHECK_THAT(result.err, Catch::Contains("the tree is complete, but the report of this run was not written"));
  CHECK(shop.run({"verify", shop.path("out"), "--quiet"}).exit_code == 0);
}

TEST_CASE("prepare: --set takes what verify can read again, and what a reader can see") {
  const Workshop shop;
  CHECK(shop.prepare("out", {"--set", std::string(300, 'A') + "=1"}).exit_code == 2);
  CHECK(shop.prepare("out", {"--set", "CC=gcc\u3164"}).exit_code == 2);
  CHECK(shop.prepare("out", {"--set", "os=ubuntu\n"}).exit_code == 2);
}

TEST_CASE("prepare: --locked rebuilds without the catalog") {
  const Workshop shop;
  REQUIRE(shop.prepare("out").exit_code == 0);
  test::TestWorkspace elsewhere;
  const CliResult again = elsewhere.run({"prepare", "--locked", shop.path("out/torchpatch/manifest.json"), "--mirror",
                                         shop.upstream.mirror(), "--output", shop.path("again"), "--quiet"});
  CHECK(again.err.empty());
  REQUIRE(again.exit_code == 0);
  CHECK(read_file(shop.path("again/torchpatch/SHA256SUMS")) == read_file(shop.path("out/torchpatch/SHA256SUMS")));
}

TEST_CASE("prepare: --locked contacts https servers alone, and others that the user names") {
  const Workshop shop;
  REQUIRE(shop.prepare("out").exit_code == 0);
  const std::string manifest = shop.path("out/torchpatch/manifest.json");
  for (const char* url : {"ssh://127.0.0.1:9/", "file:///nowhere/"}) {
    test::edit(manifest, "https://example.org/", url);
    const CliResult refused = shop.run({"prepare", "--locked", manifest, "--output", shop.path("x"), "--offline"});
    CHECK(refused.exit_code == 6);
    CHECK_THAT(refused.err, Catch::Contains("only https URLs are fetched"));
    const CliResult allowed = shop.run({"prepare", "--locked", manifest, "--output", shop.path("x"), "--offline",
                                        "--url-map", concat(url, "=https://example.org/")});
    CHECK(allowed.exit_code != 6);
    test::edit(manifest, url, "https://example.org/");
  }
}

TEST_CASE("prepare: the report of a run is beside no tree") {
  const Workshop shop;
  REQUIRE(shop.prepare("out", {"--report", shop.path("report.json")}).exit_code == 0);
  CHECK_THAT(read_file(shop.path("report.json")), Catch::Contains("torchpatch prepare --version 1.1.0"));
  REQUIRE(shop.prepare("second").exit_code == 0);
  CHECK(list_directory(shop.path("state/torchpatch")).size() == 1);
}

TEST_CASE("prepare: the report of a run does not lie in the tree") {
  const Workshop shop;
  const CliResult result = shop.prepare("out", {"--report", shop.path("elsewhere/../out/torchpatch/manifest.json")});
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err, Catch::Contains("is inside the tree being prepared, '$TMP/out'"));
  CHECK_FALSE(file_exists(shop.path("out")));
}

TEST_CASE("prepare: which options go together") {
  const test::ToyWorkspace workspace;
  const auto refusal = [&](std::vector<std::string> args) {
    args.insert(args.begin(), "prepare");
    const CliResult result = workspace.run(args);
    CHECK(result.exit_code == 2);
    return result.err;
  };
  const std::string help = "hint: see 'torchpatch prepare --help'\n";
  CHECK(refusal({}) ==
        "torchpatch: error: missing: --version VERSION, --board BOARD (or --project FILE, or --locked MANIFEST)\n" +
            help);
  CHECK(refusal({"--version", "1.1.0"}) ==
        "torchpatch: error: missing: --board BOARD (or --project FILE, or --locked MANIFEST)\n" + help);
  CHECK(refusal({"--locked", "m", "--board", "small"}) ==
        "torchpatch: error: --locked reads everything from the manifest; remove the options that choose a plan\n" +
            help);
  CHECK(refusal({"--locked", "m"}) ==
        "torchpatch: error: missing: --output DIR (with --locked there is no default)\n" + help);
  CHECK(refusal({"--version", "1.1.0", "--board", "small", "--source", "sample", "--mirror", "x"}) ==
        "torchpatch: error: --source and --mirror cannot be used together\nhint: remove one of them\n");
}

TEST_CASE("prepare: a mirror that is not there") {
  const test::ToyWorkspace workspace;
  const CliResult result = workspace.run({"prepare", "--version", "1.1.0", "--board", "plain", "--mirror",
                                          workspace.path("no"), "--output", workspace.path("out")});
  CHECK(result.exit_code == 7);
  CHECK(result.err ==
        "torchpatch: error: looking for repositories in '$TMP/no': no such directory\n"
        "hint: pass a directory that contains clones or bare repositories, at any depth\n");
}

TEST_CASE("prepare: a commit and other files that no mirror has: one hint for both") {
  const test::ToyWorkspace workspace;
  for (const char* name : {"/nested", "/vision"}) std::filesystem::remove_all(workspace.upstream.mirror() + name);
  const std::vector<std::string> line = {
      "prepare",  "--version",          "1.1.0", "--board", "plain", "--mirror", workspace.upstream.mirror(), "--quiet",
      "--output", workspace.path("out")};
  const CliResult refused = workspace.run(line);
  CHECK(refused.exit_code == 4);
  CHECK_THAT(refused.err, Catch::EndsWith("; or leave vision out (--component torch) and pass "
                                          "--allow-partial\n"));
  std::vector<std::string> hinted = line;
  hinted.insert(hinted.end(), {"--component", "torch", "--allow-partial"});
  CHECK(workspace.run(hinted).exit_code == 0);
}

TEST_CASE("prepare: the next step is a recipe if the board cannot compile or the tree is cross compiled") {
  const Workshop shop;
  CHECK_THAT(shop.prepare("out").out,
             Catch::Contains("  next      read Action required in $TMP/out/torchpatch/KNOWN_ISSUES.md; on small, run "
                             "$TMP/out/torchpatch/check.sh, then $TMP/out/torchpatch/build.sh\n"));
  const auto board = [&](const std::string& name, std::vector<std::string> options) {
    options.insert(options.begin(), {"--set", "USE_CUDA=0"});
    return shop.prepare(name, options).out;
  };
  CHECK_THAT(board("little", {"--set", "memory_mib=512"}),
             Catch::Contains("; small has 512 MiB of memory, too little to compile: on a PC, run torchpatch recipe "
                             "$TMP/little --output recipe --kind chroot\n"));
  CHECK_THAT(board("cross", {"--set", "cross=true"}),
             Catch::Contains("; on a PC, run torchpatch recipe $TMP/cross --output recipe --kind sysroot\n"));
  CHECK_THAT(
      board("other", {"--set", "cross=true", "--set", "python=3.9", "--force"}),
      Catch::Contains("; on a PC, run torchpatch recipe $TMP/other --output recipe --kind sysroot --root SYSTEM, a "
                      "Debian or Ubuntu with Python 3.9\n"));
}

TEST_CASE("prepare: a board with its image, as list images prints it, is answered with both options") {
  const test::ToyWorkspace workspace;
  CHECK(workspace.run({"prepare", "--version", "1.1.0", "--board", "small:one"}).err ==
        "torchpatch: error: unknown board 'small:one'\nhint: --board small --image one\n");
}

TEST_CASE("prepare: an uncertified patch stops it") {
  const test::ToyWorkspace workspace;
  const std::vector<std::string> line = {
      "prepare",  "--version",           "1.1.0",  "--board", "small", "--mirror", workspace.upstream.mirror(),
      "--output", workspace.path("out"), "--quiet"};
  const CliResult refused = workspace.run(line);
  CHECK(refused.exit_code == 5);
  CHECK_THAT(refused.err, Catch::Contains("no certificate") && Catch::Contains("--allow-uncertified"));
  std::vector<std::string> allowed = line;
  allowed.push_back("--allow-uncertified");
  const CliResult done = workspace.run(allowed);
  CHECK(done.exit_code == 0);
  CHECK_THAT(done.out, Catch::Contains("(NOT CERTIFIED)"));
}
