// SPDX-License-Identifier: BSD-3-Clause
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <optional>

#include "support/catch.h"
#include "support/error.h"
#include "support/file.h"

using namespace torchpatch;

using Names = std::vector<std::string>;

TEST_CASE("TempDir: what killed runs left goes with the next one, and nothing of runs that are under way") {
  const TempDir directory;
  const std::string temporary = directory.path() + "/tmp", mine = temporary + "/torchpatch-tmp-mine";
  const char* const before = std::getenv("TMPDIR");
  const std::optional<std::string> old = before != nullptr ? std::optional<std::string>(before) : std::nullopt;
  make_directories(mine);
  make_directories(temporary + "/torchpatch-tmp-backup/files");
  make_directories(directory.path() + "/torchpatch-tmp-abcdef");
  ::setenv("TMPDIR", temporary.c_str(), 1);
  const auto run = [&](bool is_killed) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      const TempDir left;
      make_directories(left.path() + "/a/b");
      ::raise(is_killed ? SIGKILL : SIGSTOP);
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(pid, &status, WUNTRACED);
    return pid;
  };
  run(true);
  const pid_t live = run(false);
  Names expected = list_directory(temporary);
  CHECK(expected.size() == 3);  // the first one has gone
  run(true);
  REQUIRE(::symlink(mine.c_str(), (temporary + "/torchpatch-tmp-linked").c_str()) == 0);
  expected.push_back("torchpatch-tmp-linked");
  std::ranges::sort(expected);
  CHECK(list_directory(temporary).size() == 5);
  {
    const TempDir next;
    CHECK(list_directory(temporary).size() == 5);
  }
  CHECK(list_directory(temporary) == expected);
  ::kill(live, SIGKILL);
  ::waitpid(live, nullptr, 0);
  { const TempDir next; }
  CHECK(list_directory(temporary) == Names{"torchpatch-tmp-backup", "torchpatch-tmp-linked", "torchpatch-tmp-mine"});
  old ? ::setenv("TMPDIR", old->c_str(), 1) : ::unsetenv("TMPDIR");
}

TEST_CASE("TempDir: not where other users could put a directory of theirs in its place") {
  const TempDir directory;
  const std::string open_to_all = directory.path() + "/open", below = open_to_all + "/own";
  make_directories(below);
  const auto is_refused = [&](const std::string& temporary) {
    const char* const before = std::getenv("TMPDIR");
    const std::optional<std::string> old = before != nullptr ? std::optional<std::string>(before) : std::nullopt;
    ::setenv("TMPDIR", temporary.c_str(), 1);
    bool refused = false;
    try {
      const TempDir made;
    } catch (const Error& error) {
      refused = error.message().find("other users can rename what is in '" + open_to_all + "'") != std::string::npos;
    }
    old ? ::setenv("TMPDIR", old->c_str(), 1) : ::unsetenv("TMPDIR");
    return refused;
  };
  CHECK_FALSE(is_refused(below));
  REQUIRE(::chmod(open_to_all.c_str(), 0777) == 0);
  CHECK(is_refused(below));
  CHECK(is_refused(open_to_all));
  REQUIRE(::chmod(open_to_all.c_str(), 01777) == 0);
  CHECK_FALSE(is_refused(below));
  if (::geteuid() != 0) return;  // nobody else gives files away
  REQUIRE(::chown(open_to_all.c_str(), 12345, 12345) == 0);
  CHECK(is_refused(below));
}

TEST_CASE("list_directory: names in bytewise order") {
  const TempDir directory;
  for (const char* name : {"b", "A", "a.c", ".dot", "caf\xC3\xA9"})
    write_file_atomically(directory.path() + "/" + name, "");
  make_directories(directory.path() + "/a");
  CHECK(list_directory(directory.path()) == Names{".dot", "A", "a", "a.c", "b", "caf\xC3\xA9"});
  CHECK_THROWS_AS(list_directory(directory.path() + "/b"), Error);
}

TEST_CASE("read_directory: of a directory that was removed since it was opened is nothing") {
  const TempDir directory;
  const std::string path = directory.path() + "/d";
  make_directories(path);
  const UniqueFd open(::open(path.c_str(), kOpenDirectory));
  REQUIRE(::rmdir(path.c_str()) == 0);
  CHECK(read_directory(open, "listing").empty());
  CHECK_THROWS_AS(read_directory(UniqueFd(::open(path.c_str(), kOpenDirectory)), "listing"), Error);
}

TEST_CASE("list_files_below: regular files only, links not followed") {
  const TempDir directory;
  const std::string& root = directory.path();
  make_directories(root + "/a/deep");
  make_directories(root + "/empty");
  for (const char* name : {"/a/deep/f", "/a/x", "/a.c"}) write_file_atomically(root + name, "");
  REQUIRE(::symlink("a", (root + "/link").c_str()) == 0);
  REQUIRE(::symlink("a/x", (root + "/file-link").c_str()) == 0);
  REQUIRE(::mkfifo((root + "/fifo").c_str(), 0600) == 0);
  CHECK(list_files_below(root) == Names{"a.c", "a/deep/f", "a/x"});
}

TEST_CASE("remove_tree: removes files, directories and links themselves") {
  const TempDir directory;
  const std::string tree = directory.path() + "/tree";
  const std::string kept = directory.path() + "/kept";
  make_directories(kept);
  write_file_atomically(kept + "/f", "");
  make_directories(tree + "/a/b");
  write_file_atomically(tree + "/a/f", "");
  REQUIRE(::symlink("../kept", (tree + "/link").c_str()) == 0);
  REQUIRE(::symlink("nowhere", (tree + "/dangling").c_str()) == 0);
  REQUIRE(::mkfifo((tree + "/fifo").c_str(), 0600) == 0);
  remove_tree(tree);
  CHECK(list_files_below(directory.path()) == Names{"kept/f"});

  REQUIRE(::symlink("kept", tree.c_str()) == 0);
  remove_tree(tree);
  CHECK(list_directory(directory.path()) == Names{"kept"});
  remove_tree(kept + "/f");
  CHECK(list_directory(kept).empty());
}

TEST_CASE("remove_tree: absent is fine") {
  const TempDir directory;
  remove_tree(directory.path() + "/absent");
  remove_tree(directory.path() + "/absent/too");
  write_file_atomically(directory.path() + "/f", "");
  CHECK_THROWS_AS(remove_tree(directory.path() + "/f/below"), Error);
}

TEST_CASE("remove_tree: opens directories that are closed to their owner") {
  // As a user this fails without the chmod; root passes every check.
  const TempDir directory;
  const std::string tree = directory.path() + "/tree";
  for (const mode_t mode : {0000u, 0400u, 0500u, 0100u, 0200u}) {
    make_directories(tree + "/a/b");
    write_file_atomically(tree + "/a/b/f", "");
    ::chmod((tree + "/a/b").c_str(), mode);
    ::chmod((tree + "/a").c_str(), mode);
    remove_tree(tree);
    CHECK_FALSE(file_exists(tree));
  }
}

TEST_CASE("remove_tree: goes as deep as a tree may be") {
  const TempDir directory;
  std::string path = directory.path() + "/tree";
  for (int i = 0; i < 300; ++i) path += "/d";
  make_directories(path);
  remove_tree(directory.path() + "/tree");
  CHECK(list_directory(directory.path()).empty());
}
