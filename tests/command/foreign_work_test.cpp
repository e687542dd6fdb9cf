// SPDX-License-Identifier: BSD-3-Clause
// patch refresh and port in a directory that somebody else handed over: nothing of it runs, and git is not led out of
// it.
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <functional>

#include "command/port_toy.h"
#include "command/toy_workspace.h"
#include "support/catch.h"
#include "support/git_traps.h"
#include "support/text.h"

using namespace torchpatch;
using test::CliResult;
using test::git;
namespace fs = std::filesystem;

namespace {

/// A work of patch edit, in which a line was changed, and traps.
struct ForeignWork : test::ToyWorkspace {
  ForeignWork() {
    upstream.certify();
    const CliResult begun = run({"patch", "edit", "block-limit", "V1", "--version", "1.1.0", "--mirror",
                                 upstream.mirror(), "--work", work(), "--quiet"});
    REQUIRE(begun.exit_code == 0);
    test::edit(work() + "/pytorch/include/limits.h", "// another limit\n", "// a third limit\n");
  }
  CliResult refresh() const { return run({"patch", "refresh", work(), "--quiet"}); }
  std::string work() const { return path("desk"); }
  std::string in_git(const std::string& name) const { return work() + "/.git/" + name; }
  std::string state() const { return in_git("torchpatch.json"); }

  test::GitTraps traps;
};

/// A port that waits for a person in "desk/block-limit", whose conflict is settled, and traps.
struct ForeignPort : test::PortToy {
  ForeignPort() {
    edit(test::kHeader, "// limits 10\n", "// limits ten\n");
    commit("Say ten");
    release();
    REQUIRE(port().exit_code == 1);
    const std::string file = "pytorch/" + test::kHeader;
    write_file_atomically(concat(work(), "/", file), git(work(), {"show", ":3:" + file}) + "\n");
  }
  std::string request() const { return path("desk/torchpatch-port.json"); }

  test::GitTraps traps;
};

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("patch refresh: no program that the work's git configuration, attributes or hooks name is run") {
  const ForeignWork toy;
  toy.traps.lay(toy.work() + "/.git");
  SECTION("every key that runs something") {}
  SECTION("every key that git knows") { toy.traps.spoil(toy.in_git("config")); }
  const std::string configuration = read_file(toy.in_git("config"));
  const CliResult result = toy.refresh();
  CHECK(toy.traps.sprung() == Names{});
  CHECK(result.err == "");
  CHECK(result.exit_code == 0);
  CHECK_THAT(read_file(toy.upstream.catalog_directory() + "/patchsets/block-limit/V1/0002-cap-more.patch"),
             Catch::Contains("+// a third limit\n"));
  CHECK(read_file(toy.in_git("config")) == configuration);
}

TEST_CASE("port: no program that the work's git configuration, attributes or hooks name is run") {
  const ForeignPort toy;
  toy.traps.lay(toy.work() + "/.git");
  const std::string how = GENERATE("--continue", "--skip", "--abort");
  CAPTURE(how);
  const CliResult result = how == "--abort" ? toy.run({"port", how, "--work", toy.path("desk")}) : toy.go_on(how);
  CHECK(toy.traps.sprung() == Names{});
  INFO(result.out);
  CHECK(result.err == "");
  CHECK(result.exit_code == (how == "--skip" ? 1 : 0));
  CHECK_FALSE(file_exists(toy.work()));
  CHECK(toy.is_certified() == (how == "--continue"));
}

TEST_CASE("patch edit: no program of a repository around the work is run") {
  const ForeignWork toy;
  toy.traps.lay(toy.work() + "/.git");
  const CliResult result = toy.run({"patch", "edit", "block-limit", "V1", "--version", "1.1.0", "--mirror",
                                    toy.upstream.mirror(), "--work", toy.work() + "/inner", "--quiet"});
  CHECK(result.exit_code == 0);
  CHECK(toy.traps.sprung() == Names{});
}

TEST_CASE("patch refresh: objects that a promisor would have to bring are missing, and it is not asked") {
  const ForeignWork toy;
  toy.traps.lay(toy.work() + "/.git");
  const std::string blob = git(
      toy.path(""), {"-C", toy.work(), "-c", "core.fsmonitor=false", "rev-parse", "HEAD~1:pytorch/include/limits.h"});
  remove_tree(toy.in_git("objects/" + std::string(blob).insert(2, "/")));
  const auto begin = std::chrono::steady_clock::now();
  const CliResult result = toy.refresh();
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));
  CHECK(toy.traps.sprung() == Names{});
  CHECK(result.exit_code == 7);
  CHECK_THAT(result.err, Catch::Contains("in '$TMP/desk': git diff reports 'fatal: unable to read " + blob));
}

TEST_CASE("patch refresh: a work that leads git to files elsewhere, or lets it wait, is refused") {
  const ForeignWork toy;
  const auto refuses = [&](const std::string& path, const std::string& problem) {
    const CliResult result = toy.refresh();
    CHECK(result.exit_code == 6);
    CHECK(result.err ==
          concat("torchpatch: error: git is not run: '$TMP/desk/", path, "' ", problem,
                 "\nhint: another user may have created it; remove it, or start again in a new directory\n"));
    CHECK(toy.traps.sprung() == Names{});
  };
  const auto file = [](const std::string& path) { write_file_atomically(path, "/elsewhere\n"); };
  const auto pipe = [](const std::string& path) { REQUIRE(::mkfifo(path.c_str(), 0600) == 0); };
  const auto link = [](const std::string& path) { fs::create_symlink("/elsewhere", path); };
  const auto repository = [&](const std::string& path) {
    git(toy.path(""), {"init", "-q", parent_path(path)});
    toy.traps.lay(path);
  };
  struct Row {
    std::string path;  ///< in the work
    std::string problem;
    std::function<void(const std::string& path)> lay;
  };
  const Row rows[] = {{".git/objects/info/alternates", "points git to another repository", file},
                      {".git/commondir", "points git to another repository", file},
                      {".git/packed-refs", "is a link", link},
                      {".git/refs/heads/other", "is a link", link},
                      {".git/MERGE_MSG", "is neither a file nor a directory", pipe},
                      {"pytorch/.gitattributes", "is neither a file nor a directory", pipe},
                      {"pytorch/include/.git", "is a second repository", repository},
                      {"pytorch/.git", "is a second repository", file}};
  for (const Row& row : rows) {
    row.lay(toy.work() + "/" + row.path);
    refuses(row.path, row.problem);
    remove_tree(toy.work() + "/" + row.path);
  }
  fs::rename(toy.in_git(""), toy.path("elsewhere"));
  link(toy.work() + "/.git");
  refuses(".git", "is not a directory");
  remove_tree(toy.work() + "/.git");
  file(toy.work() + "/.git");
  refuses(".git", "is not a directory");
}

TEST_CASE("port: a work that leads git to files elsewhere is refused, and can be left out") {
  const ForeignPort toy;
  fs::rename(toy.work() + "/.git", toy.path("elsewhere"));
  fs::create_symlink(toy.path("elsewhere"), toy.work() + "/.git");
  const CliResult refused = toy.go_on("--continue");
  CHECK(refused.exit_code == 6);
  CHECK_THAT(refused.err, Catch::Contains("git is not run: '$TMP/desk/block-limit/.git' is not a directory\n"));
  CHECK_THAT(toy.go_on("--skip").out, Catch::Contains("block-limit  left out"));
  CHECK(file_exists(toy.path("elsewhere/HEAD")));
}

TEST_CASE("patch refresh: a state that names files elsewhere, or is an option of git, is refused") {
  const ForeignWork toy;
  const std::string good = read_file(toy.state()), written = toy.path("written");
  const std::vector<std::vector<std::string>> rows = {
      {concat("\"base\": \"", git(toy.work(), {"rev-parse", "HEAD~2"})), concat("\"base\": \"--output=", written),
       "base: '--output=$TMP/written' is not the id of a commit\n"},
      {"\"file\": \"V1/", "\"file\": \"../../../V1/", "patches[0].file: '../../../V1/0001-cap.patch' "},
      {"\"path\": \"include/", "\"path\": \"../include/", "files[0].path: '../include/added.h' "},
      {"\"patchset\": \"block-limit\"", "\"patchset\": \"../mine\"", "patchset: '../mine' "}};
  for (const std::vector<std::string>& row : rows) {
    test::edit(toy.state(), row[0], row[1]);
    const CliResult result = toy.refresh();
    CHECK(result.exit_code == 3);
    CHECK_THAT(result.err, Catch::Contains(row[2]));
    CHECK_FALSE(file_exists(written));
    write_file_atomically(toy.state(), good);
  }
}

TEST_CASE("patch refresh: changes no catalog that the work alone names") {
  const ForeignWork toy;
  const std::string mine = toy.path("mine"), patch = mine + "/patchsets/block-limit/V1/0002-cap-more.patch";
  fs::copy(toy.upstream.catalog_directory(), mine, fs::copy_options::recursive);
  const std::string before = read_file(patch);
  SECTION("as the one of the patchset") {
    test::edit(toy.state(), concat("\"directory\": \"", real_path(toy.upstream.catalog_directory())),
               concat("\"directory\": \"", mine));
  }
  SECTION("as a layer") { test::edit(toy.state(), "\"catalogs\": [", concat("\"catalogs\": [\"", mine, "\"")); }
  const CliResult result = toy.refresh();
  CHECK(result.exit_code == 6);
  CHECK(
      result.err ==
      "torchpatch: error: the work '$TMP/desk' names the catalog '$TMP/mine', which you did not allow on this machine\n"
      "hint: to let its proofs run and its files change, add --catalog $TMP/mine\n");
  CHECK(read_file(patch) == before);
  CHECK(toy.run({"patch", "refresh", toy.work(), "--catalog", mine, "--quiet"}).exit_code != 6);
  CHECK(toy.refresh().exit_code != 6);  // from now on it is known
  fs::copy(toy.work(), toy.path("copy"), fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  CHECK(toy.run({"patch", "refresh", toy.path("copy"), "--quiet"}).exit_code == 6);  // of that work alone
}

TEST_CASE("port: a file behind a link is not in the work") {
  const ForeignPort toy;
  fs::rename(toy.work() + "/pytorch", toy.path("elsewhere"));
  fs::create_symlink(toy.path("elsewhere"), toy.work() + "/pytorch");
  const CliResult result = toy.go_on("--continue");
  CHECK(result.exit_code != 0);
  CHECK_THAT(result.err, Catch::Contains("'pytorch/include/limits.h' does not exist"));
}

TEST_CASE("port --skip: removes nothing but works") {
  const ForeignPort toy;
  make_directories(toy.path("mine"));
  test::edit(toy.request(), "\"waiting\": [", "\"waiting\": [\"../mine\", ");
  const CliResult result = toy.go_on("--skip");
  CHECK(result.exit_code == 3);
  CHECK_THAT(result.err, Catch::Contains("waiting[0]: '../mine' is not an id: "));
  CHECK(file_exists(toy.path("mine")));
}

TEST_CASE("port --continue: does not run the proofs of a catalog that came along with the work") {
  const ForeignPort toy;
  fs::copy(toy.upstream.catalog_directory(), toy.path("desk/catalog"), fs::copy_options::recursive);
  test::edit(toy.request(), "\"catalogs\": [", concat("\"catalogs\": [\"", toy.path("desk/catalog"), "\""));
  const CliResult result = toy.go_on("--continue");
  CHECK(result.exit_code == 6);
  CHECK(result.err ==
        "torchpatch: error: the work '$TMP/desk' names the catalog '$TMP/desk/catalog', which you did not allow on "
        "this machine\nhint: to let its proofs run and its files change, add --catalog $TMP/desk/catalog\n");
}
