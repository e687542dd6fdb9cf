// SPDX-License-Identifier: BSD-3-Clause
#include "unit/tree/traced_child.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/catch.h"

namespace torchpatch::test {
namespace {

[[noreturn]] void run(const std::function<void()>& action) {
  ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
  ::raise(SIGSTOP);
  try {
    action();
  } catch (...) {
    _exit(1);
  }
  _exit(0);
}

}  // namespace

TracedChild::TracedChild(const std::function<void()>& action) : pid_(::fork()) {
  REQUIRE(pid_ >= 0);
  if (pid_ == 0) run(action);
  REQUIRE(::waitpid(pid_, &status_, 0) == pid_);
  REQUIRE(WIFSTOPPED(status_));
  // Without TRACESYSGOOD the kernel does not say what kind of stop it is.
  REQUIRE(::ptrace(PTRACE_SETOPTIONS, pid_, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL) == 0);
}

TracedChild::~TracedChild() {
  if (!WIFSTOPPED(status_)) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, &status_, 0);
}

bool TracedChild::resume() {
  REQUIRE(::ptrace(PTRACE_SYSCALL, pid_, nullptr, nullptr) == 0);
  REQUIRE(::waitpid(pid_, &status_, 0) == pid_);
  return WIFSTOPPED(status_);
}

bool TracedChild::run_to_next_call() {
  __ptrace_syscall_info info = {};
  while (resume()) {
    REQUIRE(::ptrace(PTRACE_GET_SYSCALL_INFO, pid_, sizeof info, &info) > 0);
    if (info.op == PTRACE_SYSCALL_INFO_ENTRY) return true;
  }
  return false;
}

bool TracedChild::run_to_call(long number) {
  __ptrace_syscall_info info = {};
  while (run_to_next_call()) {
    REQUIRE(::ptrace(PTRACE_GET_SYSCALL_INFO, pid_, sizeof info, &info) > 0);
    if (info.entry.nr == static_cast<std::uint64_t>(number)) return true;
  }
  return false;
}

int TracedChild::finish() {
  while (WIFSTOPPED(status_)) resume();
  return WIFEXITED(status_) ? WEXITSTATUS(status_) : -1;
}

}  // namespace torchpatch::test
