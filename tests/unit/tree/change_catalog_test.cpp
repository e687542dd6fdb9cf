// SPDX-License-Identifier: BSD-3-Clause
#include "tree/staging.h"

#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>

#include <vector>

#include "support/catch.h"
#include "support/file.h"
#include "support/text.h"
#include "unit/git/raises.h"
#include "unit/tree/processes.h"
#include "unit/tree/traced_child.h"

namespace torchpatch::tree {

namespace {

using Names = std::vector<std::string>;

class WarningConsole : public NullConsole {
 public:
  void warning(const std::string& line) override { warnings.push_back(line); }
  Names warnings;
};

void write_all_of(const std::string& directory, const std::map<std::string, std::string>& files) {
  for (const auto& [path, bytes] : files) {
    make_directories(parent_path(concat(directory, "/", path)));
    write_file_atomically(concat(directory, "/", path), bytes);
  }
}

/// Returns all files of a directory with their bytes, "a=1 b=2".
std::string content_of(const std::string& directory) {
  Names files;
  for (const std::string& path : list_files_below(directory))
    files.push_back(concat(path, "=", read_file(concat(directory, "/", path))));
  return join(files, " ");
}

const std::map<std::string, std::string> kCatalogFiles = {
    {"patchsets/a/certificates/1.json", "1"},
    {"patchsets/a/patchset.json", "1"},
    {"patchsets/a/old.patch", "1"},
    {"patchsets/b/patchset.json", "1"},
    {"patchsets/c/proofs/1.json", "1"},
    {"patchsets/c/patchset.json", "1"},
    {"releases/1.json", "1"},
    {"releases/2.json", "1"},
    {"results/1.json", "1"},
};

void change_quietly(const std::string& directory, const FileChanges& changes) {
  NullConsole console;
  change_catalog(directory, changes, console);
}

const FileChanges kManyChanges = {
    {"patchsets/a/certificates/1.json", std::nullopt},
    {"patchsets/a/patchset.json", "2"},
    {"patchsets/b", std::nullopt},
    {"patchsets/d/patchset.json", "2"},
    {"releases/1.json", std::nullopt},
    {"releases/2.json", std::nullopt},
    {"results/1.json", std::nullopt},
};

}  // namespace

TEST_CASE("change_catalog: makes all changes, keeps the rest with its modes, and drops folders without files") {
  const TempDir temp;
  write_all_of(temp.path(), kCatalogFiles);
  REQUIRE(::chmod((temp.path() + "/patchsets").c_str(), 0750) == 0);
  REQUIRE(::chmod((temp.path() + "/patchsets/c").c_str(), 0700) == 0);
  REQUIRE(::chmod((temp.path() + "/patchsets/a/patchset.json").c_str(), 0640) == 0);
  REQUIRE(::chmod((temp.path() + "/patchsets/a/old.patch").c_str(), 0755) == 0);
  REQUIRE(::symlink("old.patch", (temp.path() + "/patchsets/a/link").c_str()) == 0);
  change_quietly(temp.path(), kManyChanges);
  CHECK(content_of(temp.path()) ==
        "patchsets/a/old.patch=1 patchsets/a/patchset.json=2 patchsets/c/patchset.json=1 patchsets/c/proofs/1.json=1 "
        "patchsets/d/patchset.json=2");
  CHECK(list_directory(temp.path()) == Names{"patchsets", "releases", "results"});
  CHECK(list_directory(temp.path() + "/patchsets/a") == Names{"link", "old.patch", "patchset.json"});
  CHECK(test::mode_of(temp.path() + "/patchsets") == 0750);
  CHECK(test::mode_of(temp.path() + "/patchsets/c") == 0700);
  CHECK(test::mode_of(temp.path() + "/patchsets/a/patchset.json") == 0640);
  CHECK(test::mode_of(temp.path() + "/patchsets/a/old.patch") == 0755);
  CHECK(test::mode_of(temp.path() + "/patchsets/d/patchset.json") == 0644);
}

TEST_CASE("change_catalog: a file system that cannot swap folders gets its files one by one, and a warning") {
  const TempDir temp;
  write_all_of(temp.path(), kCatalogFiles);
  REQUIRE(::chmod((temp.path() + "/patchsets/a/patchset.json").c_str(), 0640) == 0);
  CHECK(test::without_swaps([&] {
    WarningConsole console;
    change_catalog(temp.path(), kManyChanges, console);
    return console.warnings == Names{concat("'", real_path(temp.path()),
                                            "/patchsets' is on a file system that cannot swap directories: its 4 files "
                                            "change one by one, and an interruption leaves only some of them changed"),
                                     concat("'", real_path(temp.path()),
                                            "/releases' is on a file system that cannot swap directories: its 2 files "
                                            "change one by one, and an interruption leaves only some of them changed")};
  }));
  CHECK(content_of(temp.path()) ==
        "patchsets/a/old.patch=1 patchsets/a/patchset.json=2 patchsets/c/patchset.json=1 patchsets/c/proofs/1.json=1 "
        "patchsets/d/patchset.json=2");
  CHECK(list_directory(temp.path()) == Names{"patchsets", "releases", "results"});
  CHECK(list_directory(temp.path() + "/patchsets/a") == Names{"old.patch", "patchset.json"});
  CHECK(test::mode_of(temp.path() + "/patchsets/a/patchset.json") == 0640);
}

TEST_CASE("change_catalog: one file is written or removed in its place, and what is so already is left alone") {
  const TempDir temp;
  write_all_of(temp.path(), kCatalogFiles);
  REQUIRE(::chmod((temp.path() + "/patchsets/b/patchset.json").c_str(), 0600) == 0);
  const auto inode_of = [&](const std::string& path) {
    struct stat status = {};
    REQUIRE(::stat((temp.path() + path).c_str(), &status) == 0);
    return status.st_ino;
  };
  const auto folder = inode_of("/patchsets"), same = inode_of("/releases/2.json");
  change_quietly(temp.path(), {{"patchsets/b/patchset.json", "2"},
                               {"patchsets/gone", std::nullopt},
                               {"releases/1.json", std::nullopt},
                               {"releases/2.json", "1"}});
  CHECK(read_file(temp.path() + "/patchsets/b/patchset.json") == "2");
  CHECK(test::mode_of(temp.path() + "/patchsets/b/patchset.json") == 0600);
  CHECK(list_directory(temp.path() + "/releases") == Names{"2.json"});
  CHECK(inode_of("/patchsets") == folder);
  CHECK(inode_of("/releases/2.json") == same);
  CHECK(list_directory(temp.path()) == Names{"patchsets", "releases", "results"});
}

TEST_CASE("change_catalog: makes the folders that are not there, in a directory that may be missing too") {
  const TempDir temp;
  change_quietly(temp.path() + "/new", {{"patchsets/a/patchset.json", "1"}});
  CHECK(content_of(temp.path()) == "new/patchsets/a/patchset.json=1");
  CHECK(list_directory(temp.path() + "/new") == Names{"patchsets"});
}

TEST_CASE("change_catalog: a folder that is a link is refused, and nothing is written where it leads") {
  const TempDir temp;
  write_all_of(temp.path() + "/elsewhere", kCatalogFiles);
  make_directories(temp.path() + "/catalog");
  REQUIRE(::symlink("../elsewhere/patchsets", (temp.path() + "/catalog/patchsets").c_str()) == 0);
  const std::string before = content_of(temp.path() + "/elsewhere");
  CHECK_THROWS_WITH(change_quietly(temp.path() + "/catalog", {{"patchsets/b", std::nullopt}, {"releases/1.json", "1"}}),
                    Catch::EndsWith("/catalog/patchsets' is a symbolic link"));
  CHECK(content_of(temp.path() + "/elsewhere") == before);
  CHECK(list_directory(temp.path() + "/catalog") == Names{"patchsets"});
}

TEST_CASE("change_catalog: a link further down is refused as well") {
  const TempDir temp;
  write_all_of(temp.path() + "/elsewhere", {{"1.json", "precious"}});
  make_directories(temp.path() + "/catalog/patchsets/a");
  REQUIRE(::symlink("../../../elsewhere", (temp.path() + "/catalog/patchsets/a/certificates").c_str()) == 0);
  CHECK_THROWS_WITH(change_quietly(temp.path() + "/catalog", {{"patchsets/a/certificates/1.json", "new"}}),
                    Catch::EndsWith("/catalog/patchsets/a/certificates' is a symbolic link"));
  CHECK(content_of(temp.path() + "/elsewhere") == "1.json=precious");
}

TEST_CASE("change_catalog: SIGKILL at any system call leaves folders that are old or new, in an order that loads") {
  const auto is_there = [](const std::string& path) { return file_exists(path) ? "1" : "0"; };
  Names states;
  bool was_killed = true;
  for (int calls = 1; was_killed; ++calls) {
    const TempDir temp;
    write_all_of(temp.path(), kCatalogFiles);
    {
      test::TracedChild child([&] { change_quietly(temp.path(), kManyChanges); });
      for (int i = 0; was_killed && i < calls; ++i) was_killed = child.run_to_next_call();
    }
    const std::string patchsets = content_of(temp.path() + "/patchsets");
    const bool is_old = patchsets ==
                        "a/certificates/1.json=1 a/old.patch=1 a/patchset.json=1 b/patchset.json=1 "
                        "c/patchset.json=1 c/proofs/1.json=1";
    const std::string state =
        concat(is_old ? "old" : patchsets, " results ", is_there(temp.path() + "/results/1.json"), " releases ",
               is_there(temp.path() + "/releases/1.json"), is_there(temp.path() + "/releases/2.json"));
    // A sanitizer's allocator makes calls of its own, now and then, so that a call more may be an action less.
    if (std::ranges::count(states, state) == 0) states.push_back(state);
    change_quietly(temp.path(), kManyChanges);
    REQUIRE(list_directory(temp.path()) == Names{"patchsets", "releases", "results"});
  }
  const std::string changed = "a/old.patch=1 a/patchset.json=2 c/patchset.json=1 c/proofs/1.json=1 d/patchset.json=2";
  CHECK(states == Names{"old results 1 releases 11", changed + " results 1 releases 11",
                        changed + " results 0 releases 11", changed + " results 0 releases 00"});
}

TEST_CASE("change_catalog: SIGKILL at any system call that writes one file leaves the old one or the new one") {
  Names states;
  bool was_killed = true;
  for (int calls = 1; was_killed; ++calls) {
    const TempDir temp;
    write_all_of(temp.path(), {{"patchsets/a/patchset.json", "1"}});
    const FileChanges changes = {{"patchsets/a/patchset.json", "2"}};
    {
      test::TracedChild child([&] { change_quietly(temp.path(), changes); });
      for (int i = 0; was_killed && i < calls; ++i) was_killed = child.run_to_next_call();
    }
    const std::string state = content_of(temp.path() + "/patchsets");
    if (states.empty() || states.back() != state) states.push_back(state);
    change_quietly(temp.path(), changes);
    REQUIRE(list_directory(temp.path()) == Names{"patchsets"});
  }
  CHECK(states == Names{"a/patchset.json=1", "a/patchset.json=2"});
}

TEST_CASE("change_catalog: says what it removes of an interrupted run, also in folders that do not change") {
  const TempDir temp;
  write_all_of(temp.path(), {{".results.torchpatch-staging/1.json", "x"},
                             {".approvals.torchpatch-staging.torchpatch.tmp-a1b2c3", "x"},
                             {".patchsets.torchpatch-staging.torchpatch.tmp-a1b2c3", "x"},
                             {".out.torchpatch-staging/mine", "x"},
                             {"releases/1.json", "1"}});
  WarningConsole console;
  change_catalog(temp.path(), {{"releases/1.json", "2"}}, console);
  const std::string said = concat("removed what an interrupted run left in '", real_path(temp.path()));
  CHECK(console.warnings == Names{said + "/.approvals.torchpatch-staging.torchpatch.tmp-a1b2c3'",
                                  said + "/.patchsets.torchpatch-staging.torchpatch.tmp-a1b2c3'",
                                  said + "/.results.torchpatch-staging'"});
  CHECK(list_directory(temp.path()) == Names{".out.torchpatch-staging", "releases"});
}

TEST_CASE("change_catalog: a full disk changes nothing") {
  const TempDir temp;
  const test::Confined result = test::with_tmpfs(temp.path(), 256, [&] {
    write_all_of(temp.path(), kCatalogFiles);
    const std::string before = content_of(temp.path());
    FileChanges changes = kManyChanges;
    const std::string large(1 << 20, 'x');
    changes["results/1.json"] = large;
    const std::string message = test::message_of(ErrorKind::environment, [&] { change_quietly(temp.path(), changes); });
    return ends_with(message, "No space left on device") && content_of(temp.path()) == before &&
           list_directory(temp.path()) == Names{"patchsets", "releases", "results"};
  });
  if (result == test::Confined::unavailable) WARN("no mount namespace here: a full disk is not tested");
  CHECK(result != test::Confined::failed);
}

TEST_CASE("change_catalog: refuses what another run changes, and changes nothing") {
  const TempDir temp;
  write_all_of(temp.path(), kCatalogFiles);
  const UniqueFd other = lock_directory(temp.path());
  CHECK(test::message_of(ErrorKind::environment, [&] { change_quietly(temp.path(), kManyChanges); }) ==
        concat("writing to '", real_path(temp.path()), "': it is locked by another run of torchpatch"));
  CHECK(list_files_below(temp.path()).size() == kCatalogFiles.size());
}

}  // namespace torchpatch::tree
