// SPDX-License-Identifier: BSD-3-Clause
#include "support/program.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "support/catch.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"

using namespace torchpatch;

namespace {

ProgramRun shell(const std::string& script) {
  ProgramRun run;
  run.argv = {"sh", "-c", script};
  run.environment = {{"PATH", "/usr/bin:/bin"}};
  return run;
}

bool is_alive(pid_t pid) {
  try {
    return read_file(concat("/proc/", pid, "/stat")).find(") Z ") == std::string::npos;
  } catch (const Error&) {
    return false;
  }
}

pid_t wait_for_pid(const std::string& path) {
  for (int i = 0; i < 5000; ++i, ::usleep(1000)) {
    if (!file_exists(path)) continue;
    const std::string text = read_file(path);
    if (text.ends_with("\n")) return static_cast<pid_t>(*parse_decimal(trim(text)));
  }
  return 0;
}

}  // namespace

TEST_CASE("run_program: gives output, errors and exit code") {
  const ProgramResult result = run_program(shell("echo out; echo err >&2; exit 3"));
  CHECK(result.out == "out\n");
  CHECK(result.err == "err\n");
  CHECK(result.exit_code == 3);
  CHECK_FALSE(result.timed_out);
}

TEST_CASE("run_program: passes arguments as they are") {
  ProgramRun run;
  run.argv = {"printf", "%s|", "a b", "", "$(id)", "'\"\\"};
  CHECK(run_program(run).out == "a b||$(id)|'\"\\|");
}

TEST_CASE("run_program: reads the given file, or nothing") {
  TempDir temp;
  write_file_atomically(temp.path() + "/in", "line\n");
  ProgramRun run = shell("cat");
  CHECK(run_program(run).out == "");
  run.input = temp.path() + "/in";
  CHECK(run_program(run).out == "line\n");
}

TEST_CASE("run_program: at the terminal it stays in our process group") {
  ProgramRun run = shell("ps -o pgid= -p $$ | tr -d ' '");
  run.at_terminal = true;
  CHECK(run_program(run).out == concat(::getpgrp(), "\n"));
  run.at_terminal = false;
  CHECK(run_program(run).out != concat(::getpgrp(), "\n"));
}

TEST_CASE("run_program: the environment is the given one alone") {
  ProgramRun run;
  run.argv = {"env"};
  run.environment = {{"A", "1"}, {"B", "x=y"}};
  CHECK(run_program(run).out == "A=1\nB=x=y\n");
}

TEST_CASE("run_program: runs in a directory, with an empty stdin") {
  const TempDir directory;
  ProgramRun run = shell("pwd -P; cat");
  run.directory = directory.path();
  CHECK(base_name(std::string(trim(run_program(run).out))) == base_name(directory.path()));
  run.directory = directory.path() + "/absent";
  CHECK(run_program(run).exit_code == 127);
}

TEST_CASE("run_program: a program that is not there gives 127") {
  ProgramRun run;
  run.argv = {"torchpatch-no-such-program"};
  const ProgramResult result = run_program(run);
  CHECK(result.exit_code == 127);
  CHECK(result.err == "'torchpatch-no-such-program' was not found");
}

TEST_CASE("run_program: a death by signal n gives 128+n") {
  CHECK(run_program(shell("kill -9 $$")).exit_code == 128 + SIGKILL);
}

TEST_CASE("run_program: signals have their default effect in the program") {
  // Where SIGPIPE stays ignored, yes reports an error instead of dying quietly.
  ::signal(SIGPIPE, SIG_IGN);
  const ProgramResult result = run_program(shell("yes | head -n 1"));
  CHECK(result.out == "y\n");
  CHECK(result.err.empty());
  ::signal(SIGPIPE, SIG_DFL);
}

TEST_CASE("run_program: ends with its program where whoever started us ignores the ends of children") {
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGCHLD, SIG_IGN);
    install_signal_handlers();
    ::alarm(10);
    ::_exit(run_program(shell("exit 3")).exit_code);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 3));
}

TEST_CASE("run_program: keeps the first MiB of what is written and waits for the rest") {
  const ProgramResult result = run_program(shell("head -c 3000000 /dev/zero; echo done >&2"));
  CHECK(result.out.size() == 1 << 20);
  CHECK(result.err == "done\n");
  CHECK(result.exit_code == 0);
}

TEST_CASE("run_program: keeps the last MiB of errors") {
  const ProgramResult result = run_program(shell("head -c 3000000 /dev/zero >&2; echo why >&2"));
  CHECK(result.err.size() == 1 << 20);
  CHECK(result.err.ends_with("why\n"));
}

TEST_CASE("run_program: its watch sees what came last") {
  std::string seen;
  ProgramRun run = shell("echo first >&2; echo last >&2");
  run.watch = [&](std::string_view err) {
    seen += err;
    return std::string();
  };
  CHECK(run_program(run).exit_code == 0);
  CHECK(seen == "first\nlast\n");
}

TEST_CASE("run_program: interrupted, it gives a program with grace SIGTERM and time, and reads on meanwhile") {
  const TempDir directory;
  const std::string file = directory.path() + "/cleaned";
  const pid_t child = ::fork();
  if (child == 0) {
    install_signal_handlers();
    ProgramRun run = shell(concat("trap 'head -c 300000 /dev/zero >&2; sleep 0.2; echo >", file,
                                  "; exit 143' TERM; kill -TERM $PPID; while :; do sleep 0.05; done"));
    run.grace = std::chrono::seconds(20);
    try {
      run_program(run);
    } catch (const Interrupted&) {
      ::_exit(7);
    }
    ::_exit(1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 7));
  CHECK(file_exists(file));
}

TEST_CASE("run_program: ends a program that its watch has seen enough of, with all its processes") {
  const TempDir directory;
  const std::string pid_file = directory.path() + "/pid";
  ProgramRun run = shell(concat("sleep 60 & echo $! > '", pid_file, "'; echo one >&2; sleep 60"));
  std::string seen;
  run.watch = [&](std::string_view err) {
    seen += err;
    return std::string(seen == "one\n" ? "enough" : "");
  };
  const ProgramResult result = run_program(run);
  CHECK(result.stopped == "enough");
  CHECK_FALSE(result.timed_out);
  CHECK(result.exit_code == 128 + SIGKILL);
  const pid_t pid = wait_for_pid(pid_file);
  REQUIRE(pid > 0);
  for (int i = 0; is_alive(pid) && i < 1000; ++i) ::usleep(1000);
  CHECK_FALSE(is_alive(pid));
}

TEST_CASE("run_program: at the timeout the whole group is killed") {
  const TempDir directory;
  ProgramRun run = shell("sleep 100 & echo $! >" + directory.path() + "/pid; echo begun; wait");
  run.timeout = std::chrono::seconds(1);
  const ProgramResult result = run_program(run);
  CHECK(result.timed_out);
  CHECK(result.exit_code == 128 + SIGKILL);
  CHECK(result.out == "begun\n");
  const pid_t grandchild = wait_for_pid(directory.path() + "/pid");
  REQUIRE(grandchild > 0);
  for (int i = 0; i < 2000 && is_alive(grandchild); ++i) ::usleep(1000);
  CHECK_FALSE(is_alive(grandchild));
}

TEST_CASE("run_program: does not wait for a grandchild that keeps the output open") {
  const auto begin = std::chrono::steady_clock::now();
  const ProgramResult result = run_program(shell("sleep 5 & echo done"));
  CHECK(result.out == "done\n");
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(4));
}

TEST_CASE("run_program: what a program leaves running in its group is killed when it has ended") {
  const int code = GENERATE(0, 3);
  const ProgramResult result = run_program(shell(concat("sleep 600 >/dev/null 2>&1 & echo $!; exit ", code)));
  CHECK(result.exit_code == code);
  const auto left = static_cast<pid_t>(*parse_decimal(trim(result.out)));
  for (int i = 0; i < 2000 && is_alive(left); ++i) ::usleep(1000);
  CHECK_FALSE(is_alive(left));
  ::kill(left, SIGKILL);
}

TEST_CASE("run_program: a program that closes its output is waited for") {
  CHECK(run_program(shell("exec >&- 2>&-; sleep 0.2; exit 5")).exit_code == 5);
}

TEST_CASE("run_programs: results are in the order of the runs, and no more than asked run at once") {
  const TempDir directory;
  std::vector<ProgramRun> runs;
  for (int i = 0; i < 6; ++i) {
    const std::string mine = concat(directory.path(), "/", i);
    runs.push_back(
        shell(concat("touch ", mine, "; ls ", directory.path(), " | wc -l; sleep 0.1; rm ", mine, "; exit ", i)));
  }
  const std::vector<ProgramResult> results = run_programs(runs, 2);
  REQUIRE(results.size() == 6);
  for (int i = 0; i < 6; ++i) {
    const ProgramResult& result = results[static_cast<std::size_t>(i)];
    CHECK(result.exit_code == i);
    CHECK(*parse_decimal(trim(result.out)) <= 2);
  }
  CHECK(run_programs({}, 2).empty());
}

TEST_CASE("run_program: an interruption kills the group") {
  const TempDir directory;
  const std::string pid_file = directory.path() + "/pid";
  const pid_t pid = ::fork();
  if (pid == 0) {
    install_signal_handlers();
    int code = 1;
    try {
      run_program(shell("sleep 100 & echo $! >" + pid_file + "; kill -INT $PPID; wait"));
    } catch (const Interrupted& interrupted) {
      code = interrupted.signal() == SIGINT ? 42 : 2;
    } catch (...) {
      code = 3;
    }
    _exit(code);
  }
  int status = 0;
  REQUIRE(::waitpid(pid, &status, 0) == pid);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 42);
  const pid_t grandchild = wait_for_pid(pid_file);
  REQUIRE(grandchild > 0);
  for (int i = 0; i < 2000 && is_alive(grandchild); ++i) ::usleep(1000);
  CHECK_FALSE(is_alive(grandchild));
}

TEST_CASE("find_program: gives absolute paths of executable files") {
  CHECK(find_program("sh").starts_with("/"));
  CHECK(find_program("torchpatch-no-such-program").empty());
  const TempDir directory;
  write_file_atomically(directory.path() + "/plain", "");
  CHECK(find_program(directory.path() + "/plain").empty());
  CHECK(find_program(directory.path()).empty());
}

TEST_CASE("run_program: a program that wants more memory or time than its limits is refused it") {
  ProgramRun run = shell("x=$(head -c 100000000 /dev/zero | tr '\\0' x); echo ${#x}");
  CHECK(run_program(run).out == "100000000\n");
  run.limits.address_space = 64 << 20;
  CHECK(run_program(run).out.empty());

  ProgramRun endless = shell("while :; do :; done");
  endless.limits.cpu = std::chrono::seconds(1);
  CHECK(run_program(endless).exit_code == 128 + SIGXCPU);
}

TEST_CASE("find_program: looks in the directories that it is given") {
  CHECK(find_program("sh", "/nowhere:/bin") == "/bin/sh");
  CHECK(find_program("sh", "/nowhere").empty());
}
