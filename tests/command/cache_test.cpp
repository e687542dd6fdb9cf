// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <sys/stat.h>

#include <ctime>

#include "command/toy_workspace.h"
#include "support/catch.h"
#include "support/file.h"
#include "support/text.h"

using namespace torchpatch;
using Catch::Contains;
using test::CliResult;

namespace {

/// A cache that holds the toy upstream.
struct CacheWorkspace : test::ToyWorkspace {
  CacheWorkspace() {
    upstream.certify();
    set_variable("XDG_CACHE_HOME", path("xdg"));
    const CliResult result =
        run({"mirror", "--version", "1.1.0", "--mirror", upstream.mirror(), "--output", cache(), "--quiet"});
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    write_file_atomically(cache() + "/CACHEDIR.TAG", "");
    for (const std::string& file : list_files_below(cache()))
      if (ends_with(file, "/HEAD")) repositories.push_back(cache() + "/" + file.substr(0, file.size() - 5));
    REQUIRE(repositories.size() == 4);
  }
  std::string cache() const { return path("xdg/torchpatch"); }
  CliResult prepare(const std::string& output) const {
    return run({"prepare", "--version", "1.1.0", "--board", "small", "--offline", "--output", path(output), "--quiet"});
  }
  CliResult gc(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"cache", "gc", "--quiet"});
    return run(more);
  }
  std::string pack_of(const std::string& repository) const {
    for (const std::string& name : list_directory(repository + "/objects/pack"))
      if (ends_with(name, ".pack")) return concat(repository, "/objects/pack/", name);
    return "";
  }
  std::string reference_of(const std::string& repository) const {
    return concat(repository, "/refs/torchpatch/", list_directory(repository + "/refs/torchpatch").at(0));
  }
  void damage(const std::string& file) const {
    std::string bytes = read_file(file);
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
    write_file_atomically(file, bytes);
  }
  void set_last_use(const std::string& file, int days_ago) const {
    const std::time_t time = std::time(nullptr) - days_ago * 86400L;
    const timespec times[2] = {{time, 0}, {time, 0}};
    REQUIRE(utimensat(AT_FDCWD, file.c_str(), times, 0) == 0);
  }

  std::vector<std::string> repositories;  ///< paths
};

}  // namespace

TEST_CASE("cache list: repositories, commits, and the releases that need them") {
  const CacheWorkspace workspace;
  const CliResult result = workspace.run({"cache", "list", "--quiet"});
  CHECK(result.exit_code == 0);
  CHECK(result.err.empty());
  CHECK_THAT(result.out, Catch::StartsWith("'$TMP/xdg/torchpatch': 4 repositories, 4 commits, "));
  CHECK_THAT(result.out, Contains(workspace.upstream.torch_commit().substr(0, 12)));
  CHECK_THAT(result.out, !Contains("no release"));
  const CliResult json = workspace.run({"cache", "list", "--json", "--quiet"});
  CHECK_THAT(json.out, Contains("\"commit\": \"" + workspace.upstream.torch_commit() + "\"") &&
                           Contains("\"releases\": [\n            \"1.1.0\"\n          ]"));
  write_file_atomically(workspace.repositories[0] + "/refs/torchpatch/" + std::string(40, 'b'), std::string(40, 'b'));
  CHECK_THAT(workspace.run({"cache", "list", "--quiet"}).out, Contains("bbbbbbbbbbbb") && Contains("no release"));
}

TEST_CASE("cache verify: a sound cache, and a damaged one") {
  const CacheWorkspace workspace;
  const CliResult sound = workspace.run({"cache", "verify", "--quiet"});
  CHECK(sound.exit_code == 0);
  CHECK_THAT(sound.out, Catch::StartsWith("'$TMP/xdg/torchpatch': no problem\n  4 repositories, "));

  workspace.damage(workspace.pack_of(workspace.repositories[1]));
  const CliResult damaged = workspace.run({"cache", "verify", "--quiet"});
  CHECK(damaged.exit_code == 1);
  CHECK_THAT(damaged.out, Contains(base_name(workspace.repositories[1])));
  CHECK_THAT(damaged.err, Contains("'torchpatch cache gc --damaged' removes damaged data"));
  CHECK_THAT(workspace.run({"cache", "verify", "--json", "--quiet"}).out, Contains("\"ok\": false"));
  const CliResult elsewhere = workspace.run({"cache", "verify", "--quiet", "--directory", workspace.cache()});
  CHECK_THAT(elsewhere.err, Contains("'torchpatch mirror' with the same releases"));
}

TEST_CASE("cache: a tampered one is noticed by the next run, which names repository and object") {
  const CacheWorkspace workspace;
  REQUIRE(workspace.prepare("good").exit_code == 0);
  for (const std::string& repository : workspace.repositories) workspace.damage(workspace.pack_of(repository));
  const CliResult result = workspace.prepare("bad");
  CHECK(result.exit_code == 4);
  CHECK_THAT(result.err, Contains("not in the cache, and --offline forbids the network") &&
                             Contains("hint: omit --offline, or pass a directory that contains them with --mirror;"));
  CHECK_FALSE(file_exists(workspace.path("bad")));
}

TEST_CASE("cache gc: removes what no release needs, and what dead runs left") {
  const CacheWorkspace workspace;
  const std::string foreign = workspace.repositories[0] + "/refs/torchpatch/" + std::string(40, 'b');
  write_file_atomically(foreign, std::string(40, 'b'));
  const std::string left = workspace.repositories[2] + "/objects/pack/tmp_pack_abc";
  write_file_atomically(left, "left over");
  const CliResult dry = workspace.gc({"--dry-run"});
  CHECK_THAT(dry.out, Contains("would remove 1 commit, 0 repositories completely, 1 file left by interrupted runs"));
  CHECK(file_exists(foreign));
  CHECK(file_exists(left));
  const CliResult result = workspace.gc();
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, Contains("removed 1 commit, 0 repositories completely, 1 file left by interrupted runs") &&
                             Contains("bbbbbbbbbbbb  no release needs it"));
  CHECK_FALSE(file_exists(foreign));
  CHECK_FALSE(file_exists(left));
  CHECK(workspace.prepare("out").exit_code == 0);
}

TEST_CASE("cache gc: --older-than goes by the last use, which a run renews") {
  const CacheWorkspace workspace;
  for (const std::string& repository : workspace.repositories)
    workspace.set_last_use(workspace.reference_of(repository), 100);
  REQUIRE(workspace.prepare("out").exit_code == 0);
  CHECK_THAT(workspace.gc({"--older-than", "50"}).out, Contains("removed 0 commits"));
  workspace.set_last_use(workspace.reference_of(workspace.repositories[3]), 100);
  CHECK_THAT(workspace.gc({"--older-than", "50"}).out,
             Contains("removed 1 commit, 1 repository completely") && Contains("not used for 100 days"));
  CHECK_FALSE(file_exists(workspace.repositories[3]));
}

TEST_CASE("cache gc: --damaged and --all") {
  const CacheWorkspace workspace;
  workspace.damage(workspace.pack_of(workspace.repositories[1]));
  const CliResult careful = workspace.gc();
  CHECK_THAT(careful.out, Contains("removed 0 commits"));
  const CliResult result = workspace.gc({"--damaged", "--json"});
  CHECK_THAT(result.out, Contains("\"why\": \"its repository is damaged\""));
  CHECK_FALSE(file_exists(workspace.repositories[1]));
  CHECK(file_exists(workspace.repositories[0]));
  CHECK_THAT(workspace.gc({"--all"}).out, Contains("3 repositories completely"));
  CHECK(list_directory(workspace.cache() + "/git").empty());
  CHECK(workspace.gc({"--all"}).exit_code == 0);
}

TEST_CASE("cache gc: a link among the archives goes, and nothing is written where it leads") {
  const CacheWorkspace workspace;
  make_directories(workspace.cache() + "/archives");
  make_directories(workspace.path("elsewhere"));
  const std::string link = workspace.cache() + "/archives/" + std::string(64, 'a');
  REQUIRE(symlink(workspace.path("elsewhere").c_str(), link.c_str()) == 0);
  CHECK(workspace.gc({"--damaged"}).exit_code == 0);
  CHECK(type_at(link) == 0);
  CHECK(list_directory(workspace.path("elsewhere")).empty());
}

TEST_CASE("cache gc: nothing is removed where a link in the cache leads") {
  const CacheWorkspace workspace;
  const std::string elsewhere = workspace.path("elsewhere"), file = elsewhere + "/torchpatch/x.tmp-abc";
  make_directories(elsewhere + "/torchpatch");
  write_file_atomically(file, "mine");
  std::string link = workspace.cache() + "/archives", error = "writing to '$TMP/xdg/torchpatch': ";
  SECTION("archives") {}
  SECTION("repositories") {
    link = workspace.cache() + "/git";
    remove_tree(link);
  }
  SECTION("references") {
    link = workspace.repositories[1] + "/refs";
    error = "git is not run: ";
    const std::string reference = workspace.reference_of(workspace.repositories[1]);
    REQUIRE(rename(reference.c_str(), concat(elsewhere, "/torchpatch/", base_name(reference)).c_str()) == 0);
    remove_tree(link);
  }
  REQUIRE(symlink(elsewhere.c_str(), link.c_str()) == 0);
  const CliResult result = workspace.gc({"--older-than", "5"});
  CHECK(result.exit_code == 6);
  CHECK_THAT(result.err, Contains("torchpatch: error: " + error) && Contains("' is a link"));
  CHECK(workspace.gc({"--all"}).exit_code == (error.starts_with("git") ? 0 : 6));
  CHECK(read_file(file) == "mine");
}

TEST_CASE("cache gc: leaves a cache alone that another run uses") {
  const CacheWorkspace workspace;
  const UniqueFd run = lock_file(workspace.cache() + "/torchpatch.lock", LockKind::shared);
  const CliResult result = workspace.gc({"--all"});
  CHECK(result.exit_code == 7);
  CHECK(result.err ==
        "torchpatch: error: cleaning up the cache '$TMP/xdg/torchpatch': another run uses it\n"
        "hint: try again when it has ended; --dry-run shows what would be removed\n");
  CHECK_THAT(workspace.gc({"--all", "--dry-run"}).out, Contains("would remove 4 commits"));
  CHECK(workspace.prepare("out").exit_code == 0);
}

TEST_CASE("cache: one of a newer torchpatch is refused") {
  const CacheWorkspace workspace;
  workspace.write("xdg/torchpatch/layout", "torchpatch cache 2\n");
  const std::string expected =
      "torchpatch: error: opening the cache '$TMP/xdg/torchpatch': it was written by a newer torchpatch (layout 2, "
      "this one supports 1)\n"
      "hint: point XDG_CACHE_HOME to another directory, use the newer torchpatch, or remove the directory\n";
  for (const CliResult& result : {workspace.prepare("out"), workspace.gc(), workspace.run({"cache", "list", "--quiet"}),
                                  workspace.run({"cache", "verify", "--quiet"})}) {
    CHECK(result.exit_code == 7);
    CHECK(result.err == expected);
  }
  workspace.write("xdg/torchpatch/layout", "torchpatch cache \n");
  CHECK_THAT(workspace.gc().err, Contains("does not name its layout"));
  workspace.write("xdg/torchpatch/layout", "junk");
  CHECK_THAT(workspace.gc().err, Contains("does not name its layout"));
  workspace.write("xdg/torchpatch/layout", "torchpatch cache 1\n");
  CHECK(workspace.prepare("out").exit_code == 0);
}

TEST_CASE("cache: one that is not there is empty") {
  CacheWorkspace workspace;
  workspace.set_variable("XDG_CACHE_HOME", workspace.path("nowhere"));
  CHECK_THAT(workspace.run({"cache", "list", "--quiet"}).out, Contains("0 repositories, 0 commits, 0 B"));
  CHECK(workspace.run({"cache", "verify", "--quiet"}).exit_code == 0);
  CHECK(workspace.gc().exit_code == 0);
  CHECK_FALSE(file_exists(workspace.path("nowhere")));
}
