// SPDX-License-Identifier: BSD-3-Clause
#include "tree/scan.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "support/catch.h"
#include "support/digest.h"
#include "support/file.h"
#include "support/text.h"
#include "unit/git/raises.h"
#include "unit/tree/processes.h"

namespace torchpatch::tree {

namespace {

std::vector<ScannedEntry> scan(const std::string& root, int jobs = 2) {
  NullConsole console;
  std::vector<ScannedEntry> entries = list_tree(root);
  hash_files(root, entries, jobs, console);
  return entries;
}

const ScannedEntry& find(const std::vector<ScannedEntry>& entries, std::string_view path) {
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const ScannedEntry& entry) { return entry.path == path; });
  REQUIRE(found != entries.end());
  return *found;
}

void write(const std::string& path, const std::string& bytes) {
  make_directories(parent_path(path));
  write_file_atomically(path, bytes);
}

}  // namespace

TEST_CASE("scan: lists everything in bytewise order, with digests, modes and targets") {
  const TempDir root;
  write(root.path() + "/a/b", "hello\n");
  write(root.path() + "/a.c", "");
  write(root.path() + "/run", std::string(3 << 20, 'x'));
  REQUIRE(::chmod((root.path() + "/run").c_str(), 04755) == 0);
  REQUIRE(::symlink("a/b", (root.path() + "/link").c_str()) == 0);
  REQUIRE(::symlink("/nowhere", (root.path() + "/a/out").c_str()) == 0);

  const std::vector<ScannedEntry> entries = scan(root.path());
  std::vector<std::string> paths;
  for (const ScannedEntry& entry : entries) paths.push_back(entry.path);
  CHECK(paths == std::vector<std::string>{"a", "a.c", "a/b", "a/out", "link", "run"});

  CHECK(find(entries, "a").type == EntryType::directory);
  const ScannedEntry& file = find(entries, "a/b");
  CHECK(file.type == EntryType::regular);
  CHECK(file.mode == 0644);
  CHECK(file.size == 6);
  CHECK(file.blob.hex() == "ce013625030ba8dba906f756967f9e9ca394464a");  // git hash-object
  CHECK(file.sha256 == sha256("hello\n"));
  CHECK(find(entries, "a.c").blob == git_blob_id(""));
  CHECK(find(entries, "run").mode == 04755);
  CHECK(find(entries, "run").blob == git_blob_id(std::string(3 << 20, 'x')));
  CHECK(find(entries, "link").type == EntryType::link);
  CHECK(find(entries, "link").link_target == "a/b");
  CHECK(find(entries, "link").blob == git_blob_id("a/b"));
  CHECK(find(entries, "a/out").link_target == "/nowhere");
  for (const ScannedEntry& entry : entries) CHECK(entry.error.empty());
}

TEST_CASE("scan: gives the same whatever the number of workers") {
  const TempDir root;
  for (int i = 0; i < 300; ++i) write(concat(root.path(), "/d", i % 9, "/f", i), concat("content ", i));
  const std::vector<ScannedEntry> one = scan(root.path(), 1);
  const std::vector<ScannedEntry> four = scan(root.path(), 4);
  REQUIRE(one.size() == 309);
  REQUIRE(one.size() == four.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    REQUIRE(one[i].path == four[i].path);
    REQUIRE(one[i].sha256 == four[i].sha256);
    if (one[i].type == EntryType::regular)
      REQUIRE(one[i].blob == git_blob_id(read_file(root.path() + "/" + one[i].path)));
  }
}

TEST_CASE("scan: opens neither a FIFO nor a device, and follows no link out of the tree") {
  const TempDir root;
  const TempDir elsewhere;
  write(elsewhere.path() + "/secret", "x");
  REQUIRE(::mkfifo((root.path() + "/fifo").c_str(), 0644) == 0);
  REQUIRE(::symlink(elsewhere.path().c_str(), (root.path() + "/away").c_str()) == 0);
  const std::vector<ScannedEntry> entries = scan(root.path());
  REQUIRE(entries.size() == 2);
  CHECK(find(entries, "fifo").type == EntryType::other);
  CHECK(find(entries, "away").type == EntryType::link);
}

TEST_CASE("scan: a file whose size is not what it holds is an entry with an error") {
  // Files of /proc/sys say that they are empty, and are not.
  const std::vector<ScannedEntry> entries = scan("/proc/sys/kernel/random");
  CHECK(find(entries, "boot_id").error == "it changed while it was read");
}

TEST_CASE("scan: what cannot be read is an entry with an error") {
  if (::geteuid() == 0) return;  // root reads everything
  const TempDir root;
  write(root.path() + "/file", "x");
  write(root.path() + "/dir/x", "x");
  REQUIRE(::chmod((root.path() + "/file").c_str(), 0) == 0);
  REQUIRE(::chmod((root.path() + "/dir").c_str(), 0) == 0);
  const std::vector<ScannedEntry> entries = scan(root.path());
  CHECK(find(entries, "file").error == "opening it: Permission denied");
  CHECK(find(entries, "dir").error == "opening it: Permission denied");
}

TEST_CASE("scan: does not go below another file system or deeper than its limit") {
  const TempDir root;
  make_directories(root.path() + "/mounted");
  const test::Confined result = test::with_tmpfs(root.path() + "/mounted", 64, [&] {
    write(root.path() + "/mounted/x", "x");
    const std::vector<ScannedEntry> entries = scan(root.path());
    return entries.size() == 1 && entries[0].error == "it is on another file system";
  });
  if (result == test::Confined::unavailable) WARN("no mount namespace here: another file system is not tested");
  CHECK(result != test::Confined::failed);

  std::string deep = root.path() + "/n";
  for (int i = 0; i < kMaxDirectoryDepth; ++i) deep += "/n";
  make_directories(deep + "/n");
  const std::vector<ScannedEntry> entries = scan(root.path());
  CHECK(entries.back().error == "it is nested deeper than 512 directories");
}

TEST_CASE("remove_tree: what is mounted is refused, not emptied") {
  const TempDir root;
  const std::string mounted = root.path() + "/mounted";
  make_directories(mounted);
  const test::Confined result = test::with_tmpfs(mounted, 64, [&] {
    write(mounted + "/x", "x");
    for (const std::string& tree : {mounted, root.path()})
      if (test::message_of(ErrorKind::environment, [&] { remove_tree(tree); }) !=
          concat("removing '", mounted, "': a file system is mounted there"))
        return false;
    return file_exists(mounted + "/x");
  });
  if (result == test::Confined::unavailable) WARN("no mount namespace here: a mount is not tested");
  CHECK(result != test::Confined::failed);
}

TEST_CASE("scan: a root that is not there is an environment error") {
  const TempDir root;
  CHECK(test::message_of(ErrorKind::environment, [&] { scan(root.path() + "/absent"); }) ==
        concat("opening directory '", root.path(), "/absent': No such file or directory"));
}

}  // namespace torchpatch::tree
