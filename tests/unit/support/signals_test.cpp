// SPDX-License-Identifier: BSD-3-Clause
#include "support/program.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/catch.h"

using namespace torchpatch;

namespace {

/// Runs `body` in a process of its own, for signals change a process for good. Returns its wait status.
template <typename Body>
int status_of(const Body& body) {
  const pid_t pid = ::fork();
  if (pid == 0) _exit(body());
  int status = 0;
  ::waitpid(pid, &status, 0);
  return status;
}

}  // namespace

TEST_CASE("check_interrupted: raises the signal that arrived, again and again") {
  const int signal = GENERATE(SIGINT, SIGTERM, SIGHUP);
  const int status = status_of([&] {
    install_signal_handlers();
    check_interrupted();
    ::raise(signal);
    int seen = 0;
    for (int i = 0; i < 2; ++i) {
      try {
        check_interrupted();
      } catch (const Interrupted& interrupted) {
        seen += interrupted.signal();
      }
    }
    return seen == 2 * signal ? 42 : 1;
  });
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 42);
}

TEST_CASE("install_signal_handlers: leaves ignored signals ignored") {
  const int status = status_of([] {
    ::signal(SIGHUP, SIG_IGN);
    install_signal_handlers();
    ::raise(SIGHUP);
    check_interrupted();
    return 42;
  });
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 42);
}

TEST_CASE("restore_signal_handlers: signals kill again") {
  const int status = status_of([] {
    install_signal_handlers();
    restore_signal_handlers();
    ::raise(SIGTERM);
    return 1;
  });
  REQUIRE(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGTERM);
}

TEST_CASE("install_signal_handlers: a second signal ends the process, and what comes with the first is no second one") {
  const auto status_after = [](useconds_t between) {
    return status_of([between] {
      install_signal_handlers();
      ::raise(SIGINT);
      ::raise(SIGTERM);
      ::usleep(between);
      ::raise(SIGTERM);
      return 42;  // this is the clean-up
    });
  };
  const int at_once = status_after(0), later = status_after(300'000);
  CHECK((WIFEXITED(at_once) && WEXITSTATUS(at_once) == 42));
  CHECK((WIFSIGNALED(later) && WTERMSIG(later) == SIGTERM));
}

TEST_CASE("install_signal_handlers: a closed pipe is a write error") {
  const int status = status_of([] {
    install_signal_handlers();
    int ends[2];
    if (::pipe(ends) != 0) return 1;
    ::close(ends[0]);
    return ::write(ends[1], "x", 1) == -1 && errno == EPIPE ? 42 : 2;
  });
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 42);
}
