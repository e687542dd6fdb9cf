// SPDX-License-Identifier: BSD-3-Clause
#include "tree/write_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include "support/catch.h"
#include "support/digest.h"
#include "support/file.h"
#include "support/text.h"
#include "unit/git/git_sandbox.h"
#include "unit/git/raises.h"
#include "unit/tree/processes.h"

namespace torchpatch::tree {

using test::message_of;

namespace {

constexpr std::int64_t kTime = 1556649600;

FileToWrite file_of(const std::string& path, const std::string& bytes, FileMode mode = FileMode::regular) {
  return {path, mode, git_blob_id(bytes), -1, bytes};
}

FileToWrite blob_at(const std::string& path, const ObjectId& blob, FileMode mode = FileMode::regular) {
  return {path, mode, blob, 0, std::nullopt};
}

std::vector<WrittenFile> write(const std::string& root, const std::vector<FileToWrite>& files,
                               std::vector<std::string> object_folders = {}, int jobs = 2) {
  WriteOptions options;
  options.object_folders = std::move(object_folders);
  options.mtime = kTime;
  options.jobs = jobs;
  NullConsole console;
  return write_files(root, files, options, console);
}

std::string link_target(const std::string& path) {
  char buffer[256];
  const ssize_t size = ::readlink(path.c_str(), buffer, sizeof buffer);
  REQUIRE(size >= 0);
  return {buffer, static_cast<std::size_t>(size)};
}

}  // namespace

TEST_CASE("write_files: writes blobs, computed bytes, links and modes, one row a file in the order asked for") {
  const test::GitSandbox sandbox;
  sandbox.init("r");
  sandbox.write("r/run.sh", "#!/bin/sh\n");
  sandbox.write("r/link", "../b.txt");
  sandbox.commit("r");
  const TempDir out;
  const test::UmaskScope umask(0077);
  const std::vector<WrittenFile> written =
      write(out.path(),
            {blob_at("d/run.sh", sandbox.id("r", "HEAD:run.sh"), FileMode::executable), file_of("b.txt", "patched\n"),
             blob_at("d/e/link", sandbox.id("r", "HEAD:link"), FileMode::link), file_of("empty", "")},
            {sandbox.path() + "/r/.git/objects"});

  REQUIRE(written.size() == 4);
  CHECK(read_file(out.path() + "/d/run.sh") == "#!/bin/sh\n");
  CHECK(written[0].sha256 == sha256("#!/bin/sh\n"));
  CHECK(written[0].size == 10);
  CHECK(read_file(out.path() + "/b.txt") == "patched\n");
  CHECK(written[1].sha256 == sha256("patched\n"));
  CHECK(link_target(out.path() + "/d/e/link") == "../b.txt");
  CHECK(written[2].link_target == "../b.txt");
  CHECK(read_file(out.path() + "/empty").empty());

  CHECK(test::mode_of(out.path() + "/d") == 0755);
  CHECK(test::mode_of(out.path() + "/d/run.sh") == 0755);
  CHECK(test::mode_of(out.path() + "/b.txt") == 0644);
  for (const char* path : {"", "/b.txt", "/d", "/d/run.sh", "/d/e", "/d/e/link", "/empty"}) {
    INFO(path);
    CHECK(test::mtime_of(out.path() + path) == kTime);
  }
}

TEST_CASE("write_files: many files over many directories, whatever the number of workers") {
  std::vector<FileToWrite> files;
  for (int i = 0; i < 500; ++i)
    files.push_back(file_of(concat("d", i % 7, "/e", i % 13, "/f", i), concat("content ", i, "\n")));
  for (const int jobs : {1, 4}) {
    const TempDir out;
    const std::vector<WrittenFile> written = write(out.path(), files, {}, jobs);
    for (std::size_t i = 0; i < files.size(); ++i) {
      REQUIRE(read_file(out.path() + "/" + files[i].path) == *files[i].bytes);
      REQUIRE(written[i].sha256 == sha256(*files[i].bytes));
    }
    CHECK(list_files_below(out.path()).size() == files.size());
  }
}

TEST_CASE("write_files: files of one blob, in any mode and as many as there are") {
  const test::GitSandbox sandbox;
  sandbox.init("r");
  for (const std::string text : {"a", "b"}) sandbox.write("r/" + text, text);
  sandbox.commit("r");
  std::vector<FileToWrite> files = {blob_at("l/to-a", git_blob_id("a"), FileMode::link), file_of("d/computed", "a")};
  for (int i = 0; i < 100; ++i) {
    const std::string text = i % 3 == 0 ? "b" : "a";
    files.push_back(blob_at(concat("d", i % 5, "/", text, i), git_blob_id(text),
                            i % 2 == 0 ? FileMode::regular : FileMode::executable));
  }
  const TempDir out;
  const std::vector<WrittenFile> written = write(out.path(), files, {sandbox.path() + "/r/.git/objects"});
  CHECK(written[0].link_target == "a");
  for (std::size_t i = 1; i < files.size(); ++i) {
    const std::string path = out.path() + "/" + files[i].path;
    const std::string text = files[i].blob == git_blob_id("a") ? "a" : "b";
    REQUIRE(read_file(path) == text);
    REQUIRE(written[i].sha256 == sha256(text));
    REQUIRE(written[i].size == 1);
    REQUIRE(test::mode_of(path) == (files[i].mode == FileMode::executable ? 0755u : 0644u));
    REQUIRE(test::mtime_of(path) == kTime);
  }
  CHECK(list_files_below(out.path()).size() == files.size() - 1);  // the link is none
}

TEST_CASE("write_files: a second call adds to the same root") {
  const TempDir out;
  write(out.path(), {file_of("a/b", "1")});
  write(out.path(), {file_of("a/c", "2"), file_of("d", "3")});
  CHECK(list_files_below(out.path()) == std::vector<std::string>{"a/b", "a/c", "d"});
  CHECK(test::mtime_of(out.path() + "/a") == kTime);
  CHECK(test::mtime_of(out.path()) == kTime);
}

TEST_CASE("write_files: refuses bad paths, modes and clashes before anything is written") {
  const TempDir out;
  const auto refused = [&](FileToWrite bad) {
    const std::string message = message_of(ErrorKind::unsafe, [&] {
      write(out.path(), {file_of("good", "x"), std::move(bad)});
    });
    CHECK(list_directory(out.path()).empty());
    return message;
  };
  CHECK_THAT(refused(file_of("../x", "")), Catch::Contains("path '../x': "));
  CHECK_THAT(refused(file_of("/x", "")), Catch::Contains("path '/x': "));
  CHECK_THAT(refused(file_of("a/.GIT/x", "")), Catch::Contains("path 'a/.GIT/x': "));
  CHECK_THAT(refused(file_of("a\nb", "")), Catch::Contains("path 'a\\nb': "));
  CHECK(refused(file_of("sub", "", FileMode::gitlink)) == "path 'sub': mode 160000 is not the mode of a file or link");
  CHECK(refused(file_of("good", "y")) == "path 'good' occurs twice");
  CHECK(refused(file_of("good/x", "")) == "path 'good' is a file and, by 'good/x', a directory");
}

TEST_CASE("write_files: refuses a link that leaves its component") {
  const TempDir out;
  const auto link_to = [&](const std::string& target) {
    return message_of(ErrorKind::unsafe, [&] { write(out.path(), {file_of("torch/l", target, FileMode::link)}); });
  };
  CHECK_THAT(link_to("../vision/x"), Catch::Contains("link 'torch/l' to '../vision/x': "));
  CHECK_THAT(link_to("/etc/passwd"), Catch::Contains("link 'torch/l' to '/etc/passwd': "));
}

TEST_CASE("write_files: a blob that no source has, or that is no blob, is a source error with the path") {
  const test::GitSandbox sandbox;
  sandbox.init("r");
  sandbox.write("r/a", "a");
  sandbox.commit("r");
  const std::string objects = sandbox.path() + "/r/.git/objects";
  const TempDir out;
  const auto write_object = [&](const ObjectId& id) {
    return message_of(ErrorKind::source, [&] { write(out.path(), {blob_at("d/a", id)}, {objects}); });
  };
  const ObjectId absent = git_blob_id("absent");
  CHECK(write_object(absent) == "writing 'd/a': no source has blob " + absent.hex());
  const ObjectId tree = sandbox.id("r", "HEAD^{tree}");
  CHECK(write_object(tree) == "writing 'd/a': object " + tree.hex() + " is a tree, not a blob");
}

TEST_CASE("write_files: bytes that are not the blob they should be are a bug") {
  const TempDir out;
  FileToWrite file = file_of("a", "right");
  file.bytes = "wrong";
  CHECK(message_of(ErrorKind::internal, [&] { write(out.path(), {file}); }) ==
        "writing 'a': its contents do not match blob " + file.blob.hex());
}

TEST_CASE("write_files: neither overwrites a file nor goes through a link") {
  const TempDir out;
  const TempDir elsewhere;
  REQUIRE(::symlink(elsewhere.path().c_str(), (out.path() + "/d").c_str()) == 0);
  CHECK_THAT(message_of(ErrorKind::environment, [&] { write(out.path(), {file_of("d/x", "x")}); }),
             Catch::Contains("/d'"));
  CHECK(list_directory(elsewhere.path()).empty());

  REQUIRE(::symlink((elsewhere.path() + "/y").c_str(), (out.path() + "/y").c_str()) == 0);
  CHECK(message_of(ErrorKind::environment, [&] { write(out.path(), {file_of("y", "y")}); }) ==
        "creating 'y': File exists");
  CHECK(list_directory(elsewhere.path()).empty());
}

TEST_CASE("write_files: a full disk is an environment error with the path") {
  const TempDir out;
  const test::Confined result = test::with_tmpfs(out.path(), 64, [&] {
    const std::string message =
        message_of(ErrorKind::environment, [&] { write(out.path(), {file_of("d/big", std::string(1 << 20, 'x'))}); });
    return message == "writing 'd/big': No space left on device";
  });
  if (result == test::Confined::unavailable) WARN("no mount namespace here: a full disk is not tested");
  CHECK(result != test::Confined::failed);
}

}  // namespace torchpatch::tree
