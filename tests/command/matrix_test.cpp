// SPDX-License-Identifier: BSD-3-Clause
// What matrix and matrix status say; that the jobs run is the business of tests/end_to_end/matrix.sh and tests/matrix.
#include <ctime>
#include <string>

#include "support/catch.h"
#include "support/digest.h"
#include "support/file.h"
#include "support/run_cli.h"
#include "support/source_directory.h"
#include "support/text.h"

using namespace torchpatch;
using test::CliResult;
using test::TestWorkspace;

namespace {

struct MatrixWorkspace : TestWorkspace {
  MatrixWorkspace() { set_variable("TORCHPATCH_DATA", test::source_directory()); }

  CliResult matrix(const std::string& versions, const std::string& boards, std::vector<std::string> more = {}) {
    std::vector<std::string> line = {"matrix", "--versions", versions,   "--boards",    boards,
                                     "--emit", "slurm",      "--output", path("matrix")};
    line.insert(line.end(), more.begin(), more.end());
    return run(line);
  }

  /// The digest of a pair, as its jobs report it.
  std::string digest_of(const std::string& pair) const {
    const std::string script = read_file(path("matrix/pair.sh"));
    const std::size_t line = script.find("id=" + pair + " ");
    return line == std::string::npos ? std::string(64, '0') : script.substr(script.find("digest=", line) + 7, 64);
  }

  void report(const std::string& pair, const std::string& state, const std::string& stage, std::int64_t time,
              const std::string& place = "", const std::string& digest = "", std::int64_t started = 0) {
    write(concat("matrix/results/", place, pair, "/pair.json"),
          concat("{\n  \"schema\": 1,\n  \"pair\": \"", pair, "\",\n  \"state\": \"", state, "\",\n  \"stage\": \"",
                 stage, "\",\n  \"time\": ", time, ",\n  \"reason\": \"\",\n  \"digest\": \"",
                 digest.empty() ? digest_of(pair) : digest, "\"",
                 started == 0 ? "" : concat(",\n  \"started\": ", started), "\n}\n"));
  }

  CliResult status() { return run({"matrix", "status", path("matrix")}); }
};

std::int64_t now() { return std::time(nullptr); }

}  // namespace

TEST_CASE(
    "matrix: builds with a cross compiler, on the board where its GPU's toolkit is needed, and leaves out what does "
    "not fit") {
  MatrixWorkspace workspace;
  const CliResult result = workspace.matrix(
      "==1.8.1", "tx2,rpi4", {"--image", "jetpack-4.6", "--image", "debian-11", "--image", "debian-13", "--json"});
  INFO(result.err);
  CHECK(result.exit_code == 0);
  const auto shows = [&](const std::string& text) { return result.out.find(text) != std::string::npos; };
  CHECK(shows("\"image\": \"jetpack-4.6\",\n      \"recipe\": \"native\",\n"));
  CHECK(shows("\"cpus\": 4,\n        \"memory_mib\": 6144,"));
  CHECK(shows("\"image\": \"debian-11\",\n      \"recipe\": \"sysroot\",\n"));
  CHECK(shows(
      "\"cpus\": 2,\n        \"memory_mib\": 4096,\n        \"disk_mib\": 9036,\n        \"minutes\": 150,\n        "
      "\"estimated\": false\n"));
  CHECK(result.out.find("\"image\": \"debian-13\",\n      \"reason\": ") != std::string::npos);
  CHECK(read_file(workspace.path("matrix/submit.sh"))
            .find("  submit_pairs 4 6144 1800 tx2 1\n  submit_pairs 2 4096 150 '' 2\n") != std::string::npos);
  CHECK(read_file(workspace.path("matrix/pair.sh")).find("--board rpi4 --image debian-11 --set cross=true \"$@\"") !=
        std::string::npos);
}

TEST_CASE("matrix: what scikit-build-core builds is built on the board, as no system's packages do it") {
  for (const auto& [release, recipe] : {std::pair{"2.13.0", "sysroot"}, std::pair{"2.14.1", "native"}}) {
    MatrixWorkspace workspace;
    const CliResult result = workspace.matrix(concat("==", release), "rpi4", {"--image", "debian-13", "--json"});
    INFO(release << result.err);
    CHECK_THAT(result.out, Catch::Contains(concat("\"image\": \"debian-13\",\n      \"recipe\": \"", recipe, "\",\n")));
  }
}

TEST_CASE("matrix --allow-partial: is passed on to the mirror and to prepare, and makes other pairs") {
  MatrixWorkspace workspace;
  const std::string pair = "1.8.1-rpi4-debian-11";
  REQUIRE(workspace.matrix("==1.8.1", "rpi4", {"--image", "debian-11"}).exit_code == 0);
  const std::string digest = workspace.digest_of(pair);
  CHECK_THAT(read_file(workspace.path("matrix/sources.sh")),
             Catch::Contains("mirror --version 1.8.1 --output ") &&
                 Catch::Contains("(torchpatch matrix --replace) with --allow-partial or fewer --component"));
  REQUIRE(workspace.matrix("==1.8.1", "rpi4", {"--image", "debian-11", "--allow-partial", "--replace"}).exit_code == 0);
  CHECK_THAT(read_file(workspace.path("matrix/sources.sh")),
             Catch::Contains("mirror --version 1.8.1 --allow-partial --output "));
  CHECK_THAT(read_file(workspace.path("matrix/pair.sh")), Catch::Contains("--set cross=true --allow-partial \"$@\""));
  CHECK(workspace.digest_of(pair) != digest);
}

TEST_CASE("matrix: --versions may list releases between commas") {
  MatrixWorkspace workspace;
  const CliResult result = workspace.matrix("2.1.2,1.8.1", "rpi4", {"--image", "debian-11"});
  INFO(result.err);
  CHECK(result.exit_code == 0);
  CHECK(workspace.digest_of("1.8.1-rpi4-debian-11") != std::string(64, '0'));
  CHECK(workspace.digest_of("2.1.2-rpi4-debian-11") != std::string(64, '0'));
  CHECK(workspace.digest_of("2.0.0-rpi4-debian-11") == std::string(64, '0'));
}

TEST_CASE("matrix: refuses what cannot be meant, and writes nothing") {
  MatrixWorkspace workspace;
  const auto refuses = [&](const CliResult& result, const std::string& message) {
    CHECK(result.exit_code == 2);
    CHECK(result.err.find("torchpatch: error: " + message) == 0);
    CHECK(!is_directory(workspace.path("matrix")));
  };
  const auto is_neither = [](const std::string& text) {
    return concat("--versions: '", text, "' is neither a range such as '>=1.4 <1.11' nor a list such as 1.8.1,2.1.2\n");
  };
  for (const char* text : {"newest", ">=1.4,<1.11", "1.8.1,", "1.8.1, 2.1.2"})
    refuses(workspace.matrix(text, "tx2"), is_neither(text));
  refuses(workspace.matrix("1.8.1,1.4.7", "tx2"), "--versions: no release of the catalog is in '==1.4.7'\n");
  refuses(workspace.matrix("==1.4.7", "tx2"), "--versions: no release of the catalog is in '==1.4.7'\n");
  refuses(workspace.matrix("==1.8.1", "tx2,tx2"), "--boards: 'tx2' is listed twice\n");
  refuses(workspace.matrix("==1.8.1", "tx2,rpi44"), "unknown board 'rpi44'\nhint: similar: rpi3, ");
  refuses(workspace.matrix("==1.8.1", "rpi4", {"--image", "debian-1"}),
          "--image: none of the boards has an image 'debian-1'\nhint: they have ");
  refuses(workspace.matrix("==1.0.0", "jetson-thor"), "no release supports any of the boards; 1.0.0 on thor: ");
  refuses(workspace.matrix("==1.8.1", "rpi4", {"--set", "cross"}), "--set 'cross' is not of the form KEY=VALUE\n");
}

TEST_CASE("matrix: a layer's measurements count, a board of a layer is left out, for the jobs do not have it") {
  MatrixWorkspace workspace;
  workspace.write(
      "mine/build_sizes.json",
      R"({"schema": 1, "builds": [{"id": "here", "release": "1.8.1", "recipe": "sysroot", "arch": "aarch64",)"
      R"( "cpus": 16, "minutes": 10, "disk_mib": 100, "measured": true}],)"
      R"( "sources": [{"keys": ["builds"], "source": "a test", "verified": true}]})");
  const CliResult result =
      workspace.matrix("==1.8.1", "rpi4", {"--image", "debian-11", "--catalog", workspace.path("mine"), "--json"});
  INFO(result.err);
  CHECK(result.exit_code == 0);
  CHECK(result.out.find("\"cpus\": 16,\n        \"memory_mib\": 32768,\n        \"disk_mib\": 200,\n        "
                        "\"minutes\": 30,") != std::string::npos);
  MatrixWorkspace other;
  std::string board = read_file(test::source_directory() + "/boards/rpi4.json");
  board.insert(board.find('{') + 1, concat("\n  \"replaces\": \"", sha256(board).hex(), "\","));
  other.write("mine/boards/rpi4.json", board);
  const CliResult refused = other.matrix("==1.8.1", "rpi4", {"--catalog", other.path("mine")});
  CHECK(refused.exit_code == 2);
  CHECK(refused.err.find("1.8.1 on rpi4: its plan uses your own catalog, which the jobs do not have\n") !=
        std::string::npos);
}

TEST_CASE("matrix: GitHub takes 256 jobs of one matrix") {
  MatrixWorkspace workspace;
  std::string boards;
  for (const std::string& path : list_files_below(test::source_directory() + "/boards"))
    boards += (boards.empty() ? "" : ",") + path.substr(0, path.find('.'));
  const CliResult result = workspace.run({"matrix", "--versions", "*", "--boards", boards, "--emit", "github-actions",
                                          "--output", workspace.path("matrix")});
  CHECK(result.exit_code == 2);
  CHECK(result.err.find("torchpatch: error: GitHub allows 256 jobs per matrix, found ") == 0);
  CHECK(result.err.find("\nhint: choose fewer --versions or --boards, and write several matrices\n") !=
        std::string::npos);
}

TEST_CASE(
    "matrix status: a pair without a report is waiting, the newest report counts, what is silent for too long has "
    "failed") {
  MatrixWorkspace workspace;
  CHECK(workspace.matrix("==1.8.1", "rpi4,zcu104,graviton2").exit_code == 0);
  CHECK(workspace.status().out ==
        "3 pairs: 3 waiting\nrelease  rpi4     zcu104   graviton2\n1.8.1    waiting  waiting  waiting\n");
  const std::string text = read_file(workspace.path("matrix/pair.sh"));
  const auto id = [&](const std::string& number) {
    const std::size_t begin = text.find("    " + number + " | ") + 4 + number.size() + 3;
    return text.substr(begin, text.find(')', begin) - begin);
  };
  workspace.report(id("1"), "running", "build", now() - 1000 * 60 * 60);
  workspace.report(id("2"), "failed", "build", now() - 60);
  workspace.report(id("2"), "done", "keep", now(), "again/");
  workspace.report(id("3"), "running", "build", now() - 60);
  workspace.report("1.8.1-elsewhere", "done", "keep", now());
  const CliResult result = workspace.status();
  CHECK(result.exit_code == 1);
  CHECK(result.err ==
        "warning: '1.8.1-elsewhere' belongs to another matrix: its pairs, options, catalog or program differ\n");
  CHECK(result.out.find("3 pairs: 1 failed, 1 running, 1 done\n") == 0);
  CHECK(result.out.find("at build: no report for longer than the ") != std::string::npos);
  workspace.report(id("1"), "done", "keep", now());
  CHECK(workspace.status().exit_code == 0);
}

TEST_CASE(
    "matrix status: how long pairs took, their wheels and logs, and a page that reloads itself while some are open") {
  MatrixWorkspace workspace;
  const std::string done = "1.8.1-rpi4-debian-11", running = "1.8.1-rpi4-raspios-11-32";
  REQUIRE(workspace.matrix("==1.8.1", "rpi4", {"--image", "debian-11", "--image", "raspios-11-32"}).exit_code == 0);
  workspace.report(done, "done", "keep", now(), "", "", now() - 3900);
  workspace.report(running, "running", "build", now() - 60, "", "", now() - 700);
  workspace.write("matrix/results/" + done + "/torch-1.8.1.whl", "");
  workspace.write("matrix/results/" + done + "/keep.log", "");
  workspace.write("matrix/results/" + running + "/build.log", "");
  const std::string text = workspace.status().out;
  CHECK_THAT(text, Catch::Contains("running, build, 12 min") && Catch::Contains("done, 1 h 5 min"));
  CHECK_THAT(text, Catch::Contains(concat(done, "/torch-1.8.1.whl; ")));
  const std::vector<std::string> page = {"matrix", "status",   workspace.path("matrix"),   "--format",
                                         "html",   "--output", workspace.path("page.html")};
  REQUIRE(workspace.run(page).exit_code == 0);
  std::string html = read_file(workspace.path("page.html"));
  CHECK_THAT(html, Catch::Contains(concat("href=\"./matrix/results/", done, "/torch-1.8.1.whl\">torch-1.8.1.whl</a>")));
  CHECK_THAT(html, Catch::Contains(concat("href=\"./matrix/results/", running, "/build.log\">build.log</a>")));
  CHECK_THAT(html, Catch::Contains("done<br>\n1 h 5 min</td>"));
  CHECK_THAT(html, Catch::Contains("<td class=\"caution") && Catch::Contains("td.caution {"));
  CHECK_THAT(html, Catch::Contains("setTimeout(() => location.reload(), 30000);"));
  const std::int64_t end = now();
  workspace.report(running, "failed", "build", end, "", "", end - 2);
  CHECK_THAT(workspace.status().out, Catch::Contains("failed, build, 2 s") && Catch::Contains("), 2 s, at build"));
  workspace.report(running, "failed", "build", end, "", "", end - 80);
  CHECK_THAT(workspace.status().out, Catch::Contains("failed, build, 1 min"));
  workspace.report(running, "done", "keep", now(), "", "", now() - 700);
  std::vector<std::string> watching = page;
  watching.emplace_back("--watch");
  CHECK(workspace.run(watching).exit_code == 0);
  html = read_file(workspace.path("page.html"));
  CHECK(html.find("setTimeout") == std::string::npos);
  const CliResult piped = workspace.run({"matrix", "status", workspace.path("matrix"), "--watch"});
  CHECK(piped.exit_code == 2);
  CHECK_THAT(piped.err, Catch::Contains("--watch needs a terminal to draw on, or --output FILE"));
}

TEST_CASE("matrix status: if the sources cannot be fetched, that failed, and so did every pair that waits for them") {
  MatrixWorkspace workspace;
  const std::string waiting = "1.8.1-rpi4-debian-11", done = "1.8.1-rpi4-raspios-11-32";
  REQUIRE(workspace.matrix("==1.8.1", "rpi4", {"--image", "debian-11", "--image", "raspios-11-32"}).exit_code == 0);
  workspace.report(done, "done", "keep", now());
  const std::string script = read_file(workspace.path("matrix/sources.sh"));
  const std::string digest = script.substr(script.find("digest=") + 7, 64);
  workspace.report("sources", "running", "prepare", now() - 60, "", digest, now() - 60);
  workspace.write("matrix/results/sources/prepare.log", "");
  CliResult result = workspace.status();
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, Catch::StartsWith("2 pairs: 1 waiting, 1 done\n") && Catch::Contains("  sources, 1 min; "));
  workspace.report("sources", "failed", "prepare", now(), "", digest);
  result = workspace.status();
  CHECK(result.exit_code == 1);
  CHECK(result.err.empty());
  CHECK_THAT(result.out, Catch::StartsWith("2 pairs: 1 failed, 1 done\n") &&
                             Catch::Contains("sources; sources/prepare.log\n") &&
                             Catch::Contains("1.8.1 on rpi4 (debian-11): not started: the job 'sources' failed\n"));
  CHECK_THAT(workspace.run({"matrix", "status", workspace.path("matrix"), "--json"}).out,
             Catch::Contains("\"sources\": {\n    \"state\": \"failed\",\n    \"reason\": null,\n"
                             "    \"log\": \"sources/prepare.log\"\n"));
  workspace.report("sources", "done", "prepare", now(), "", digest);
  CHECK_THAT(workspace.status().out, Catch::StartsWith("2 pairs: 1 waiting, 1 done\n") && !Catch::Contains("sources"));
}

TEST_CASE("matrix status: a report that cannot be read is a failure, a matrix that cannot an error") {
  MatrixWorkspace workspace;
  CHECK(workspace.matrix("==1.8.1", "rpi4", {"--image", "debian-11"}).exit_code == 0);
  workspace.write("matrix/results/1.8.1-rpi4-debian-11/pair.json", "{\"schema\": 1, \"pair\": 7}");
  const CliResult result = workspace.status();
  CHECK(result.exit_code == 1);
  CHECK(result.out.find(
            "1.8.1 on rpi4 (debian-11): its report cannot be read: reading the report of a pair: 5 findings; ") !=
        std::string::npos);
  workspace.write("matrix/matrix.json", "[]");
  const CliResult broken = workspace.status();
  CHECK(broken.exit_code == 3);
  CHECK(broken.err.find("torchpatch: error: reading a matrix: ") == 0);
  const CliResult absent = workspace.run({"matrix", "status", workspace.path("nowhere")});
  CHECK(absent.exit_code == 7);
  CHECK(absent.err ==
        "torchpatch: error: reading the matrix in '$TMP/nowhere': it has no matrix.json\n"
        "hint: pass a directory written by 'torchpatch matrix'\n");
}

TEST_CASE("matrix status: what another matrix made of the same pair is not this one's") {
  MatrixWorkspace workspace;
  const std::string pair = "1.8.1-rpi4-debian-11";
  REQUIRE(workspace.matrix("==1.8.1", "rpi4", {"--image", "debian-11"}).exit_code == 0);
  const std::string digest = workspace.digest_of(pair);
  workspace.report(pair, "done", "keep", now());
  CHECK(workspace.status().out.find("1 pair: 1 done\n") == 0);
  REQUIRE(
      workspace.matrix("==1.8.1", "rpi4", {"--image", "debian-11", "--set", "USE_OPENCV=1", "--replace"}).exit_code ==
      0);
  CHECK(workspace.digest_of(pair) != digest);
  const CliResult other = workspace.status();
  CHECK(other.out.find("1 pair: 1 waiting\n") == 0);
  CHECK(other.err ==
        concat("warning: '", pair, "' belongs to another matrix: its pairs, options, catalog or program differ\n"));
  workspace.report(pair, "failed", "build", now() - 60, "mine/");  // older, and of this matrix
  CHECK(workspace.status().out.find("1 pair: 1 failed\n") == 0);
  REQUIRE(workspace.matrix("==1.8.1", "rpi4", {"--image", "debian-11", "--replace"}).exit_code == 0);
  CHECK(workspace.digest_of(pair) == digest);
  CHECK(workspace.status().out.find("1 pair: 1 done\n") == 0);
}

TEST_CASE("matrix: --replace writes over a matrix and nothing else, and what its jobs left stays") {
  MatrixWorkspace workspace;
  const auto write = [&](const std::string& engine, const std::vector<std::string>& more = {}) {
    std::vector<std::string> line = {
        "matrix", "--versions", "==1.8.1", "--boards", "rpi4", "--emit", engine, "--output", workspace.path("matrix")};
    line.insert(line.end(), more.begin(), more.end());
    return workspace.run(line);
  };
  REQUIRE(write("gitlab-ci").exit_code == 0);
  workspace.write("matrix/results/x.whl", "a wheel");
  workspace.write("matrix/notes.txt", "mine");
  const CliResult refused = write("slurm");
  CHECK(refused.exit_code == 7);
  CHECK(refused.err ==
        "torchpatch: error: writing to '$TMP/matrix': it already contains a matrix\n"
        "hint: replace it with --replace, or choose another directory\n");
  CHECK(file_exists(workspace.path("matrix/.gitlab-ci.yml")));
  const CliResult result = write("slurm", {"--replace"});
  INFO(result.err);
  CHECK(result.exit_code == 0);
  CHECK(!file_exists(workspace.path("matrix/.gitlab-ci.yml")));
  CHECK(file_exists(workspace.path("matrix/submit.sh")));
  CHECK(read_file(workspace.path("matrix/results/x.whl")) == "a wheel");
  CHECK(read_file(workspace.path("matrix/notes.txt")) == "mine");
  MatrixWorkspace fresh;
  REQUIRE(fresh
              .run({"matrix", "--versions", "==1.8.1", "--boards", "rpi4", "--emit", "slurm", "--output",
                    fresh.path("matrix")})
              .exit_code == 0);
  for (const std::string& name : list_files_below(fresh.path("matrix")))
    CHECK(read_file(fresh.path("matrix/" + name)) == read_file(workspace.path("matrix/" + name)));

  MatrixWorkspace foreign;
  foreign.write("matrix/matrix.json", "{}");
  foreign.write("matrix/pair.sh", "mine");
  CHECK(foreign.matrix("==1.8.1", "rpi4", {"--replace"}).exit_code == 3);
  CHECK(read_file(foreign.path("matrix/pair.sh")) == "mine");
  MatrixWorkspace empty;
  empty.write("matrix/pair.sh", "mine");
  CHECK(empty.matrix("==1.8.1", "rpi4", {"--replace"}).exit_code == 7);
}
