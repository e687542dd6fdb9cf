// SPDX-License-Identifier: BSD-3-Clause
#include "support/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/catch.h"
#include "support/digest.h"
#include "support/error.h"

using namespace torchpatch;

namespace {

mode_t mode_of(const std::string& path) {
  struct stat status = {};
  REQUIRE(::lstat(path.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

template <typename Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::environment);
    return error.message();
  }
  return "no error";
}

}  // namespace

TEST_CASE("read_file: gives the bytes of a file") {
  const TempDir directory;
  const std::string path = directory.path() + "/f";
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{300'000}}) {
    const std::string bytes(size, '\0');
    write_file_atomically(path, bytes);
    CHECK(read_file(path) == bytes);
  }
  CHECK_FALSE(read_file("/proc/self/stat").empty());  // its size is said to be 0
}

TEST_CASE("read_file: refuses what is no regular file, without waiting") {
  const TempDir directory;
  const std::string fifo = directory.path() + "/fifo";
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  CHECK(message_of([&] { read_file(fifo); }) == "reading '" + fifo + "': it is not a regular file");
  CHECK(message_of([&] { read_file(directory.path()); }) ==
        "reading '" + directory.path() + "': it is not a regular file");
  CHECK(message_of([] { read_file("/dev/zero"); }) == "reading '/dev/zero': it is not a regular file");
  const std::string absent = directory.path() + "/absent";
  CHECK(message_of([&] { read_file(absent); }) == "opening '" + absent + "': No such file or directory");
}

TEST_CASE("is_regular_file: links count as what they lead to") {
  const TempDir directory;
  const std::string path = directory.path() + "/f";
  write_file_atomically(path, "x");
  REQUIRE(::symlink("f", (directory.path() + "/link").c_str()) == 0);
  CHECK(is_regular_file(path));
  CHECK(is_regular_file(directory.path() + "/link"));
  CHECK_FALSE(is_regular_file(directory.path()));
  CHECK_FALSE(is_regular_file(directory.path() + "/absent"));
  CHECK_FALSE(is_regular_file("/dev/zero"));
}

TEST_CASE("digest_of_file: of the whole file, wherever it stands") {
  const TempDir directory;
  const std::string path = directory.path() + "/f";
  const std::string bytes(3'000'001, 'x');
  write_file_atomically(path, bytes);
  const UniqueFd file = open_regular_file(path);
  REQUIRE(::lseek(file.get(), 7, SEEK_SET) == 7);
  CHECK(digest_of_file(file, path).sha256 == sha256(bytes));
  CHECK(digest_of_file(file, path).size == bytes.size());
  CHECK(message_of([&] { digest_of_file(UniqueFd(), path); }) == "reading '" + path + "': Bad file descriptor");
}

TEST_CASE("read_file: refuses more than the limit") {
  const TempDir directory;
  const std::string path = directory.path() + "/f";
  write_file_atomically(path, "12345");
  CHECK(read_file(path, 5) == "12345");
  CHECK(message_of([&] { read_file(path, 4); }) == "reading '" + path + "': it is larger than 4 bytes");
  CHECK(message_of([] { read_file("/proc/self/stat", 4); }).ends_with("larger than 4 bytes"));
}

TEST_CASE("write_file_atomically: replaces a file, and nothing else is left") {
  const TempDir directory;
  const std::string path = directory.path() + "/f";
  const mode_t old_mask = ::umask(0077);
  write_file_atomically(path, "old");
  ::umask(old_mask);
  CHECK(mode_of(path) == 0644);
  ::chmod(path.c_str(), 0400);
  write_file_atomically(path, "new");
  CHECK(read_file(path) == "new");
  CHECK(list_directory(directory.path()) == std::vector<std::string>{"f"});
}

TEST_CASE("write_file_atomically: replaces a link, not its target") {
  const TempDir directory;
  write_file_atomically(directory.path() + "/target", "kept");
  REQUIRE(::symlink("target", (directory.path() + "/link").c_str()) == 0);
  write_file_atomically(directory.path() + "/link", "new");
  CHECK(read_file(directory.path() + "/target") == "kept");
}

TEST_CASE("write_file_atomically: writes into what takes bytes, and never replaces it") {
  const TempDir directory;
  const std::string fifo = directory.path() + "/fifo";
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  CHECK(message_of([&] { write_file_atomically(fifo, "x"); }).starts_with("writing '" + fifo + "': "));  // nobody reads
  const UniqueFd reader(::open(fifo.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  REQUIRE(reader);
  write_file_atomically(fifo, "text");
  std::string text(10, ' ');
  CHECK(::read(reader.get(), text.data(), text.size()) == 4);
  const std::string link = directory.path() + "/link";
  REQUIRE(::symlink("/dev/null", link.c_str()) == 0);
  write_file_atomically(link, "x");
  CHECK(list_directory(directory.path()) == std::vector<std::string>{"fifo", "link"});
  CHECK(mode_of("/dev/null") == 0666);
}

TEST_CASE("TemporaryFile: does not take the place of a FIFO or a device") {
  const TempDir directory;
  const std::string fifo = directory.path() + "/fifo";
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  const std::string refusal = "writing '" + fifo + "': it is a FIFO, which is not overwritten";
  CHECK(message_of([&] { TemporaryFile file(fifo); }) == refusal);
  TemporaryFile file(directory.path() + "/other");
  CHECK(message_of([&] { file.rename_to(fifo); }) == refusal);
  REQUIRE(::symlink("/dev/null", (directory.path() + "/null").c_str()) == 0);
  CHECK(message_of([&] {
          file.rename_to(directory.path() + "/null");
        }).ends_with("it is a device, which is not overwritten"));
}

TEST_CASE("write_file_atomically: leaves nothing where it fails") {
  const TempDir directory;
  const std::string path = directory.path() + "/d";
  make_directories(path + "/in");
  CHECK(message_of([&] { write_file_atomically(path, "x"); }).starts_with("writing '" + path + "': renaming it: "));
  CHECK(list_directory(directory.path()) == std::vector<std::string>{"d"});
  CHECK(message_of([&] { write_file_atomically(path + "/absent/f", "x"); }).ends_with("No such file or directory"));
}

TEST_CASE("write_all: says when the disk is full") {
  const UniqueFd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  REQUIRE(full);
  CHECK(message_of([&] { write_all(full.get(), "x", "/dev/full"); }) == "writing '/dev/full': No space left on device");
}

TEST_CASE("make_directories: makes parents, accepts what is there") {
  const TempDir directory;
  const std::string path = directory.path() + "/a/b/c/";
  make_directories(path);
  make_directories(path);
  CHECK(is_directory(path));
  write_file_atomically(directory.path() + "/f", "");
  CHECK(message_of([&] { make_directories(directory.path() + "/f/g"); }).ends_with("/f': File exists"));
  CHECK(message_of([&] { make_directories(directory.path() + "/f"); }).ends_with("/f': File exists"));
}

TEST_CASE("file_exists and is_directory: follow links") {
  const TempDir directory;
  REQUIRE(::symlink(".", (directory.path() + "/here").c_str()) == 0);
  REQUIRE(::symlink("nowhere", (directory.path() + "/dangling").c_str()) == 0);
  CHECK(is_directory(directory.path() + "/here"));
  CHECK(file_exists(directory.path() + "/here"));
  CHECK_FALSE(file_exists(directory.path() + "/dangling"));
  CHECK_FALSE(is_directory("/dev/null"));
}

TEST_CASE("parent_path and base_name: as dirname and basename") {
  const std::vector<std::vector<std::string>> rows = {{"a/b", "a", "b"},       {"a/b/", "a", "b"}, {"a", ".", "a"},
                                                      {"/a", "/", "a"},        {"/", "/", "/"},    {"a//b", "a", "b"},
                                                      {"/a/b/c", "/a/b", "c"}, {".", ".", "."}};
  for (const auto& row : rows) {
    CAPTURE(row[0]);
    CHECK(parent_path(row[0]) == row[1]);
    CHECK(base_name(row[0]) == row[2]);
  }
}

TEST_CASE("absolute_path: is below the current directory") {
  CHECK(absolute_path("/a/../b") == "/a/../b");
  const std::string here = absolute_path(".");
  CHECK(here.starts_with("/"));
  CHECK(absolute_path("./a/b") == absolute_path("a/b"));
  CHECK(absolute_path("a").ends_with("/a"));
}

TEST_CASE("UniqueFd: closes once, moves, gives away") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  UniqueFd first(ends[0]);
  UniqueFd second(ends[1]);
  second = std::move(first);
  CHECK_FALSE(first);
  CHECK(second.get() == ends[0]);
  CHECK(::fcntl(ends[1], F_GETFD) == -1);
  const int raw = second.release();
  CHECK_FALSE(second);
  CHECK(::fcntl(raw, F_GETFD) != -1);
  ::close(raw);
}

TEST_CASE("TempDir: is private and goes with its scope") {
  std::string path;
  {
    const TempDir directory;
    path = directory.path();
    CHECK(mode_of(path) == 0700);
    make_directories(path + "/a/b");
  }
  CHECK_FALSE(file_exists(path));
}
