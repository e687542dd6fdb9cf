// SPDX-License-Identifier: BSD-3-Clause
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "command/toy_workspace.h"
#include "support/catch.h"
#include "support/digest.h"
#include "support/file.h"
#include "support/text.h"

using namespace torchpatch;
using Catch::Contains;
using test::CliResult;

namespace {

struct Exported : test::ToyWorkspace {
  Exported() {
    upstream.certify();
    prepare("out");
  }
  void prepare(const std::string& output) const {
    const CliResult result = run({"prepare", "--version", "1.1.0", "--board", "small", "--mirror", upstream.mirror(),
                                  "--output", path(output), "--quiet"});
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
  }
  CliResult export_to(const std::string& name, std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"export", path("out"), "--output", path(name), "--quiet"});
    return run(more);
  }
  std::vector<std::string> names() const { return list_directory(path("")); }
};

}  // namespace

TEST_CASE("export: equal trees give equal archives in each format") {
  const Exported workspace;
  for (const std::string ending : {".tar", ".tar.gz", ".tar.zst"}) {
    CAPTURE(ending);
    const CliResult result = workspace.export_to("a" + ending);
    CHECK(result.exit_code == 0);
    CHECK(result.err.empty());
    CHECK_THAT(result.out, Catch::StartsWith("exported 1.1.0 for small (one) to $TMP/a" + ending + "\n"));
    const std::string bytes = read_file(workspace.path("a" + ending));
    CHECK_THAT(result.out, Contains(concat(bytes.size(), " bytes, sha256 ", sha256(bytes).hex(), "\n")));
    CHECK_THAT(result.out, Contains(concat("sha256 ", sha256(read_file(workspace.path("a.tar"))).hex(), "\n")));
    CHECK(workspace.export_to("b" + ending, {"--prefix", "a", "--jobs", "7"}).exit_code == 0);
    CHECK(read_file(workspace.path("b" + ending)) == bytes);
  }
  workspace.prepare("again");
  REQUIRE(chmod(workspace.path("again/pytorch/setup.py").c_str(), 0600) == 0);
  workspace.run({"export", workspace.path("again"), "--output", workspace.path("c.tar"), "--prefix", "a"});
  CHECK(read_file(workspace.path("c.tar")) == read_file(workspace.path("a.tar")));
}

TEST_CASE("export: --json has sizes, digests and what was exported") {
  const Exported workspace;
  const CliResult result = workspace.export_to("a.tar.gz", {"--json", "--prefix", "top"});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, Contains("\"format\": \"tar.gz\",\n  \"prefix\": \"top\",\n  \"sha256\": \"" +
                                  sha256(read_file(workspace.path("a.tar.gz"))).hex() + "\""));
  CHECK_THAT(result.out, Contains("\"verified\": true") && Contains("\"tar_sha256\": \"") && Contains("\"links\": 1"));
}

TEST_CASE("export: a tree with differences is refused, unless it is asked for as it is") {
  const Exported workspace;
  workspace.write("out/pytorch/setup.py", "# edited\n");
  const CliResult refused = workspace.export_to("a.tar");
  CHECK(refused.exit_code == 1);
  CHECK_THAT(refused.out, Contains("changed 'pytorch/setup.py'"));
  CHECK_FALSE(file_exists(workspace.path("a.tar")));
  CHECK_THAT(workspace.export_to("a.tar", {"--json"}).out, Contains("\"ok\": false"));
  const CliResult forced = workspace.export_to("a.tar", {"--unverified"});
  CHECK(forced.exit_code == 0);
  CHECK_THAT(forced.out, Contains(" to $TMP/a.tar, NOT VERIFIED\n"));
  CHECK_THAT(read_file(workspace.path("a.tar")), Contains("# edited\n"));
}

TEST_CASE("export: what cannot be in an archive is refused, and nothing is left") {
  const Exported workspace;
  REQUIRE(mkfifo(workspace.path("out/pytorch/pipe").c_str(), 0644) == 0);
  const std::vector<std::string> before = workspace.names();
  const CliResult result = workspace.export_to("a.tar", {"--unverified"});
  CHECK(result.exit_code == 6);
  CHECK(result.err ==
        "torchpatch: error: it is neither a file, nor a directory, nor a link\n"
        "  while exporting 'pytorch/pipe'\n");
  CHECK(workspace.names() == before);
}

TEST_CASE("export: an archive that is there stays, unless it is to be replaced") {
  const Exported workspace;
  workspace.write("a.tar", "mine");
  const CliResult result = workspace.export_to("a.tar");
  CHECK(result.exit_code == 7);
  CHECK(result.err ==
        "torchpatch: error: writing '$TMP/a.tar': it already exists\n"
        "hint: choose another file, or use --replace\n");
  CHECK(read_file(workspace.path("a.tar")) == "mine");
  CHECK(workspace.export_to("a.tar", {"--replace"}).exit_code == 0);
  CHECK(read_file(workspace.path("a.tar")).size() % 10240 == 0);
}

TEST_CASE("export: removes what killed runs left of the archive, and nothing of runs that are under way") {
  const Exported workspace;
  for (const char* name : {"a.tar.torchpatch.tmp-abc123", "a.tar.tmp-backup", "b.tar.torchpatch.tmp-abc123"})
    workspace.write(name, "left");
  const TemporaryFile other_run(workspace.path("a.tar"));
  std::vector<std::string> expected = workspace.names();
  std::erase(expected, "a.tar.torchpatch.tmp-abc123");
  CHECK(workspace.export_to("a.tar").exit_code == 0);
  workspace.write("a.html.torchpatch.tmp-abc123", "left");
  CHECK(workspace.run({"audit", "--all", "--output", workspace.path("a.html"), "--quiet"}).exit_code == 0);
  expected.insert(expected.end(), {"a.tar", "a.html"});
  std::ranges::sort(expected);
  CHECK(workspace.names() == expected);
}

TEST_CASE("export: names, places and prefixes that are none") {
  const Exported workspace;
  const auto error = [&](const std::string& name, int code, const std::vector<std::string>& more = {}) {
    const CliResult result = workspace.export_to(name, more);
    CHECK(result.exit_code == code);
    CHECK(result.out.empty());
    return result.err;
  };
  CHECK(error("a.zip", 2) ==
        "torchpatch: error: '$TMP/a.zip' has no known archive extension\nhint: use .tar, .tar.gz or .tar.zst\n");
  CHECK_THAT(error(".tar", 2), Contains("'$TMP/.tar' has no known archive extension\n"));
  CHECK(error("out/a.tar", 2) ==
        "torchpatch: error: the archive '$TMP/out/a.tar' would be inside the tree\nhint: write it somewhere else\n");
  CHECK(error("nowhere/a.tar", 7) ==
        "torchpatch: error: writing '$TMP/nowhere/a.tar': '$TMP/nowhere' was not found\nhint: create it first\n");
  CHECK(error("a.tar", 2, {"--prefix", "../b"}) ==
        "torchpatch: error: the archive's top directory '../b' has a slash\n"
        "hint: choose another one with --prefix\n");
  make_directories(workspace.path("d.tar"));
  CHECK(error("d.tar", 7, {"--replace"}) == "torchpatch: error: writing '$TMP/d.tar': it is a directory\n");
  const CliResult result = workspace.run({"export", workspace.path("d.tar"), "--output", workspace.path("a.tar")});
  CHECK(result.exit_code == 7);
  CHECK_THAT(result.err, Contains("'$TMP/d.tar' is not a prepared tree"));
}
