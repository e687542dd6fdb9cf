// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <map>

#include "command/toy_workspace.h"
#include "support/catch.h"
#include "support/file.h"
#include "support/text.h"

using namespace torchpatch;
using Catch::Contains;
using test::CliResult;

namespace {

struct MirrorWorkspace : test::ToyWorkspace {
  MirrorWorkspace() { upstream.certify(); }

  CliResult mirror(const std::string& from, const std::string& output, std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"mirror", "--version", "1.1.0", "--mirror", from, "--output", path(output), "--quiet"});
    return run(more);
  }
  std::string prepared_from(const std::string& mirror, const std::string& output) const {
    const CliResult result = run(
        {"prepare", "--version", "1.1.0", "--board", "small", "--mirror", mirror, "--output", path(output), "--quiet"});
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    return read_file(path(output + "/torchpatch/manifest.json"));
  }
  std::vector<std::string> repositories(const std::string& output) const {
    std::vector<std::string> found;
    for (const std::string& file : list_files_below(path(output)))
      if (ends_with(file, "/HEAD")) found.push_back(file.substr(0, file.size() - 5));
    return found;
  }
  std::vector<std::string> packs(const std::string& repository) const {
    std::vector<std::string> found;
    for (const std::string& name : list_directory(path(repository + "/objects/pack")))
      if (ends_with(name, ".pack")) found.push_back(path(concat(repository, "/objects/pack/", name)));
    return found;
  }
};

}  // namespace

TEST_CASE("mirror: what it brings prepares the same tree, and is good for git") {
  const MirrorWorkspace workspace;
  const CliResult result = workspace.mirror(workspace.upstream.mirror(), "m");
  CHECK(result.err.empty());
  REQUIRE(result.exit_code == 0);
  CHECK_THAT(result.out, Catch::StartsWith("mirrored 1.1.0 to $TMP/m\n  4 repositories, 4 commits, "));
  CHECK(workspace.prepared_from(workspace.path("m"), "a") == workspace.prepared_from(workspace.upstream.mirror(), "b"));
  const std::vector<std::string> repositories = workspace.repositories("m");
  REQUIRE(repositories.size() == 4);
  for (const std::string& repository : repositories) {
    CAPTURE(repository);
    CHECK(workspace.packs("m/" + repository).size() == 1);
    CHECK_THAT(test::git(workspace.path("m/" + repository), {"fsck", "--full", "--strict"}), !Contains("missing"));
    CHECK(test::git(workspace.path("m/" + repository), {"for-each-ref", "--format=%(objecttype)"}) == "commit");
  }
}

TEST_CASE("mirror: a second run adds nothing, and the first has the same bytes wherever objects come from") {
  const MirrorWorkspace workspace;
  REQUIRE(workspace.mirror(workspace.upstream.mirror(), "m").exit_code == 0);
  CHECK_THAT(workspace.mirror(workspace.upstream.mirror(), "m").out, Contains(" objects, 0 new, 0 B\n"));
  REQUIRE(workspace.mirror(workspace.path("m"), "again", {"--jobs", "3"}).exit_code == 0);
  for (const std::string& file : list_files_below(workspace.path("m"))) {
    CAPTURE(file);
    CHECK(read_file(workspace.path("m/" + file)) == read_file(workspace.path("again/" + file)));
  }
}

TEST_CASE("mirror: a damaged pack is brought anew, and what a killed run left goes") {
  const MirrorWorkspace workspace;
  REQUIRE(workspace.mirror(workspace.upstream.mirror(), "m").exit_code == 0);
  const std::string repository = "m/" + workspace.repositories("m").back();
  const std::string pack = workspace.packs(repository).front();
  const std::string good = read_file(pack);
  std::string bad = good;
  bad[bad.size() / 2] = static_cast<char>(bad[bad.size() / 2] ^ 1);
  write_file_atomically(pack, bad);
  workspace.write(repository + "/objects/pack/incoming.tmp-abc", "left over");

  const CliResult again = workspace.mirror(workspace.upstream.mirror(), "m");
  CHECK(again.exit_code == 0);
  CHECK(read_file(pack) == good);
  CHECK_FALSE(file_exists(workspace.path(repository + "/objects/pack/incoming.tmp-abc")));
}

TEST_CASE("mirror: a link in the folder is refused, and nothing is written where it leads, but the folder may be one") {
  const MirrorWorkspace workspace;
  REQUIRE(workspace.mirror(workspace.upstream.mirror(), "m").exit_code == 0);
  const std::string repository = workspace.path("m/" + workspace.repositories("m").back());
  write_file_atomically(repository + "/config", "[my]\n\town = repository\n");
  for (std::string place = repository; place != workspace.path("."); place = parent_path(place)) {
    CAPTURE(place);
    const bool is_named = place == workspace.path("m");
    const std::string elsewhere = workspace.path("elsewhere"), below = repository.substr(place.size());
    REQUIRE(rename(place.c_str(), elsewhere.c_str()) == 0);
    REQUIRE(symlink(elsewhere.c_str(), place.c_str()) == 0);
    const CliResult result = workspace.mirror(workspace.upstream.mirror(), "m");
    CHECK(result.exit_code == (is_named ? 0 : 6));
    if (is_named) break;
    CHECK(result.err ==
          concat("torchpatch: error: writing to '$TMP/m': '$TMP/m", place.substr(workspace.path("m").size()),
                 "' is a link that leads out of it\nhint: remove the link, or choose another directory\n"));
    CHECK(read_file(elsewhere + below + "/config") == "[my]\n\town = repository\n");
    REQUIRE(unlink(place.c_str()) == 0);
    REQUIRE(rename(elsewhere.c_str(), place.c_str()) == 0);
  }
}

TEST_CASE("mirror: what is not asked for is not there") {
  const MirrorWorkspace workspace;
  REQUIRE(workspace.mirror(workspace.upstream.mirror(), "m", {"--component", "vision"}).exit_code == 0);
  CHECK(workspace.repositories("m").size() == 1);
  const CliResult lacking = workspace.mirror(workspace.path("m"), "n");
  CHECK(lacking.exit_code == 4);
  CHECK_THAT(lacking.err, Contains("torch: commit " + workspace.upstream.torch_commit()));
  CHECK_FALSE(file_exists(workspace.path("n")));
}

TEST_CASE("mirror: --board brings the submodules that the board takes, none what any may take") {
  MirrorWorkspace workspace;
  const std::string commit = workspace.upstream.add_override().commit.hex();
  workspace.upstream.certify();
  const CliResult any = workspace.mirror(workspace.upstream.mirror(), "any", {"--json"});
  const CliResult small = workspace.mirror(workspace.upstream.mirror(), "small", {"--json", "--board", "small"});
  CHECK_THAT(any.out, Contains(commit) && Contains("\"commits\": 6"));
  CHECK_THAT(small.out, Contains(commit) && Contains("\"commits\": 4"));
}

TEST_CASE("mirror: --version newest is settled by the board") {
  const MirrorWorkspace workspace;
  const CliResult result = workspace.run({"mirror", "--version", "newest", "--board", "plain", "--mirror",
                                          workspace.upstream.mirror(), "--output", workspace.path("m"), "--json"});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.err, Catch::StartsWith("release 1.1.0 is the newest certified one that fits board 'plain'\n"));
  CHECK_THAT(result.out, Contains("\"releases\": [\n    \"1.1.0\"\n  ]"));
}

TEST_CASE("mirror: what is asked for has to make sense") {
  const MirrorWorkspace workspace;
  CHECK(workspace.run({"mirror"}).err ==
        "torchpatch: error: missing: --version VERSION\nhint: see 'torchpatch mirror --help'\n");
  CHECK(workspace.mirror(workspace.upstream.mirror(), "m", {"--component", "audio"}).err ==
        "torchpatch: error: release 1.1.0 has no audio\n");
  CHECK(workspace.mirror(workspace.upstream.mirror(), "m", {"--image", "one"}).err ==
        "torchpatch: error: --image needs --board\nhint: an image is one of a board\n");
  CHECK(workspace.mirror(workspace.upstream.mirror(), "m", {"--component", "tourch"}).exit_code == 2);
  CHECK_FALSE(file_exists(workspace.path("m")));
}

TEST_CASE("mirror --full: histories, branches and tags come as well, and stay") {
  const MirrorWorkspace workspace;
  const std::string upstream = workspace.upstream.mirror(), served = workspace.upstream.scratch() + "/served/";
  const std::map<std::string, std::string> folders = {{"pytorch/pytorch.git", "/torch"},
                                                      {"pytorch/vision.git", "/vision"},
                                                      {"onnx/onnx.git", "/nested/deeper/onnx"},
                                                      {"benjaminp/six.git", "/a-fork-of-six"}};
  for (const auto& [url, folder] : folders) {
    const std::string repository = served + url;
    make_directories(parent_path(repository));
    test::git(upstream, {"clone", "--quiet", "--bare", upstream + folder, repository});
    const std::string later = test::git(repository, {"commit-tree", "-p", "HEAD", "-m", "later", "HEAD^{tree}"});
    test::git(repository, {"update-ref", "refs/heads/next", later});
    test::git(repository, {"tag", "later", later});
  }
  const std::string url_map = concat("https://example.org/=file://", served);
  const CliResult result = workspace.mirror(upstream, "m", {"--full", "--url-map", url_map});
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  REQUIRE(workspace.mirror(upstream, "m").exit_code == 0);  // without --full nothing of it goes
  const std::vector<std::string> repositories = workspace.repositories("m");
  REQUIRE(repositories.size() == 4);
  for (const std::string& repository : repositories) {
    CAPTURE(repository);
    const std::string path = workspace.path("m/" + repository);
    CHECK(test::git(path, {"log", "--format=%s", "refs/tags/later"}) ==
          test::git(path, {"log", "--format=%s", "next"}));
    CHECK_THAT(test::git(path, {"log", "--format=%s", "next"}), Catch::StartsWith("later\n"));
    CHECK_THAT(test::git(path, {"fsck", "--full"}), !Contains("missing"));
  }
}

TEST_CASE("mirror --full: a history that is not available is an error, and the commits are all there") {
  const MirrorWorkspace workspace;
  const CliResult result = workspace.mirror(workspace.upstream.mirror(), "m",
                                            {"--full", "--retries", "1", "--url-map", "https://=file:///nowhere/"});
  CHECK(result.exit_code == 4);
  CHECK_THAT(result.err, Contains("'file:///nowhere/example.org/pytorch/pytorch.git': git reports "));
  CHECK(workspace.prepared_from(workspace.path("m"), "a") == workspace.prepared_from(workspace.upstream.mirror(), "b"));
  CHECK(workspace.mirror(workspace.upstream.mirror(), "n", {"--full", "--offline"}).exit_code == 2);
}
