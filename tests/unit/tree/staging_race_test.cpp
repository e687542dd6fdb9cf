// SPDX-License-Identifier: BSD-3-Clause
// Runs on one OUT at the same time: each either makes a whole tree or is told that another run has the lock.
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>

#include "support/catch.h"
#include "support/error.h"
#include "support/text.h"
#include "unit/tree/small_tree.h"
#include "unit/tree/traced_child.h"

namespace torchpatch::tree {
namespace {

constexpr int kProcesses = 4;
constexpr int kRuns = 100;

/// True where the error is one that a run may get because of the others.
bool is_expected(const Error& error) {
  return error.kind() == ErrorKind::environment && error.message().find("locked") != std::string::npos;
}

[[noreturn]] void run_many(const std::string& out, int process) {
  for (int run = 0; run < kRuns; ++run) {
    try {
      test::prepare_small_tree(out, IfExists::replace, concat("run ", run, " of ", process));
    } catch (const Error& error) {
      if (!is_expected(error)) {
        write_all(STDERR_FILENO, error.message() + "\n", "stderr");
        _exit(1);
      }
    }
  }
  _exit(0);
}

}  // namespace

TEST_CASE("Staging: runs at the same time leave one whole tree, and nothing beside it") {
  const TempDir temp;
  const std::string out = temp.path() + "/out";
  for (int process = 0; process < kProcesses; ++process) {
    const pid_t pid = ::fork();
    REQUIRE(pid >= 0);
    if (pid == 0) run_many(out, process);
  }
  for (int process = 0; process < kProcesses; ++process) {
    int status = 0;
    REQUIRE(::wait(&status) > 0);
    CHECK(status == 0);
  }
  CHECK_THAT(test::state_of(out), Catch::StartsWith("run "));
  CHECK(list_directory(temp.path()) == std::vector<std::string>{"out"});
}

TEST_CASE("Staging: a run that opened the directory of another one, before that ended, does not build in it") {
  const TempDir temp;
  const std::string out = temp.path() + "/out";
  NullConsole console;
  test::TracedChild second([&] { test::prepare_small_tree(out, IfExists::replace, "second"); });
  std::optional<Staging> first(std::in_place, out, IfExists::refuse, console);
  REQUIRE(second.run_to_call(SYS_flock));
  SECTION("it was renamed") {
    make_directories(first->path() + "/torchpatch");
    write_file_atomically(first->path() + "/torchpatch/manifest.json", "first");
    first->commit(false);
  }
  SECTION("it was removed") {}
  first.reset();
  CHECK(second.finish() == 0);
  CHECK(test::state_of(out) == "second");
  CHECK(list_directory(temp.path()) == std::vector<std::string>{"out"});
}

TEST_CASE("Staging: a run that had to wait for another one's end sees what that one made") {
  const TempDir temp;
  const std::string out = temp.path() + "/out";
  test::TracedChild second([&] {
    NullConsole console;
    const Staging staging(out, IfExists::refuse, console);
  });
  REQUIRE(second.run_to_call(SYS_mkdir));
  test::prepare_small_tree(out, IfExists::refuse, "first");
  CHECK(second.finish() == 1);
  CHECK(test::state_of(out) == "first");
  CHECK(list_directory(temp.path()) == std::vector<std::string>{"out"});
}

}  // namespace torchpatch::tree
