// SPDX-License-Identifier: BSD-3-Clause
// What becomes of write_files() when a worker dies, hangs, or meets a source that is made to hang it.
#include <sys/stat.h>

#include <csignal>

#include "support/catch.h"
#include "support/digest.h"
#include "support/file.h"
#include "support/text.h"
#include "tree/write_files.h"
#include "unit/git/git_sandbox.h"
#include "unit/git/raises.h"
#include "unit/tree/processes.h"

namespace torchpatch::tree {

using test::message_of;

namespace {

using Clock = std::chrono::steady_clock;

/// Enough work that a worker is met while it is at it.
std::vector<FileToWrite> much_work() {
  const std::string bytes(4 << 20, 'x');
  std::vector<FileToWrite> files;
  for (int i = 0; i < 64; ++i) files.push_back({concat("f", i), FileMode::regular, git_blob_id(bytes), -1, bytes});
  return files;
}

std::string write_while_hunted(int signal) {
  const TempDir out;
  const std::vector<FileToWrite> files = much_work();
  WriteOptions options;
  options.jobs = 2;
  options.limits.stall = std::chrono::seconds(2);
  NullConsole console;
  test::ChildHunter hunter(signal);
  std::string message = message_of(ErrorKind::source, [&] { write_files(out.path(), files, options, console); });
  CHECK(hunter.finish());
  return message;
}

}  // namespace

TEST_CASE("write_files: a worker that is killed is a source error, and no process is left") {
  CHECK_THAT(write_while_hunted(SIGKILL), Catch::Contains("killed"));
  CHECK_FALSE(test::has_children());
}

TEST_CASE("write_files: a worker that hangs is a source error within the stall limit, and no process is left") {
  const auto start = Clock::now();
  CHECK_THAT(write_while_hunted(SIGSTOP), Catch::Contains("made no progress"));
  CHECK(Clock::now() - start < std::chrono::seconds(20));
  CHECK_FALSE(test::has_children());
}

TEST_CASE("write_files: a FIFO in place of an object does not hang the run") {
  const test::GitSandbox sandbox;
  sandbox.init("r");
  sandbox.write("r/a", "a");
  sandbox.commit("r");
  const std::string hex = git_blob_id("a").hex();
  const std::string objects = sandbox.path() + "/r/.git/objects";
  const std::string object = concat(objects, "/", hex.substr(0, 2), "/", hex.substr(2));
  REQUIRE(::remove(object.c_str()) == 0);
  REQUIRE(::mkfifo(object.c_str(), 0644) == 0);

  const TempDir out;
  WriteOptions options;
  options.object_folders = {objects};
  options.limits.stall = std::chrono::seconds(5);
  NullConsole console;
  const FileToWrite file{"d/a", FileMode::regular, git_blob_id("a"), 0, std::nullopt};
  const auto start = Clock::now();
  CHECK(test::raised([&] { write_files(out.path(), {file}, options, console); })->kind() == ErrorKind::source);
  CHECK(Clock::now() - start < std::chrono::seconds(4));
  CHECK_FALSE(test::has_children());
}

}  // namespace torchpatch::tree
