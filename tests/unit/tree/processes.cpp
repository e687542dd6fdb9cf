// SPDX-License-Identifier: BSD-3-Clause
#include "unit/tree/processes.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <fstream>

#include "support/catch.h"
#include "support/text.h"

namespace torchpatch::test {
namespace {

/// Returns a child of `parent` other than `self`, or -1.
pid_t other_child(pid_t parent, pid_t self) {
  std::ifstream children(concat("/proc/", parent, "/task/", parent, "/children"));
  for (pid_t child = 0; children >> child;)
    if (child != self) return child;
  return -1;
}

[[noreturn]] void hunt(pid_t parent, int signal) {
  while (::getppid() == parent) {
    const pid_t child = other_child(parent, ::getpid());
    if (child > 0 && ::kill(child, signal) == 0) _exit(0);
  }
  _exit(1);
}

int wait_for(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  return status;
}

bool write_text(const char* path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  return static_cast<bool>(file.flush());
}

/// An unprivileged user gets a user namespace as well, in which he is root.
bool enter_mount_namespace() {
  const uid_t user = ::geteuid();
  const gid_t group = ::getegid();
  const int flags = user == 0 ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER;
  if (::unshare(flags) != 0) return false;
  if (user != 0) {
    write_text("/proc/self/setgroups", "deny");
    if (!write_text("/proc/self/uid_map", concat("0 ", user, " 1"))) return false;
    if (!write_text("/proc/self/gid_map", concat("0 ", group, " 1"))) return false;
  }
  return ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

/// Has renameat2() with RENAME_EXCHANGE fail with EINVAL, as file systems do that cannot.
void refuse_swaps() {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_renameat2, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[4])),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, RENAME_EXCHANGE, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program = {sizeof filter / sizeof *filter, filter};
  const bool is_set = ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
                      ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
  if (!is_set) _exit(1);
}

constexpr int kUnavailable = 77;

[[noreturn]] void run_confined(const std::string& directory, int kibibytes, const std::function<bool()>& action) {
  const std::string size = concat("size=", kibibytes, "k");
  if (!enter_mount_namespace() || ::mount("tmpfs", directory.c_str(), "tmpfs", 0, size.c_str()) != 0)
    _exit(kUnavailable);
  try {
    _exit(action() ? 0 : 1);
  } catch (...) {
    _exit(1);
  }
}

}  // namespace

ChildHunter::ChildHunter(int signal) : pid_(-1) {
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  REQUIRE(pid_ >= 0);
  if (pid_ == 0) hunt(parent, signal);
}

bool ChildHunter::finish() {
  int status = 0;
  const bool has_ended = ::waitpid(pid_, &status, WNOHANG) == pid_;
  if (!has_ended) {
    ::kill(pid_, SIGKILL);
    status = wait_for(pid_);
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool has_children() {
  siginfo_t info = {};
  return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

Confined with_tmpfs(const std::string& directory, int kibibytes, const std::function<bool()>& action) {
  const pid_t pid = ::fork();
  REQUIRE(pid >= 0);
  if (pid == 0) run_confined(directory, kibibytes, action);
  const int status = wait_for(pid);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kUnavailable) return Confined::unavailable;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? Confined::done : Confined::failed;
}

bool without_swaps(const std::function<bool()>& action) {
  const pid_t pid = ::fork();
  REQUIRE(pid >= 0);
  if (pid == 0) {
    refuse_swaps();
    try {
      _exit(action() ? 0 : 1);
    } catch (...) {
      _exit(1);
    }
  }
  const int status = wait_for(pid);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

unsigned mode_of(const std::string& path) {
  struct stat status = {};
  REQUIRE(::lstat(path.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

long mtime_of(const std::string& path) {
  struct stat status = {};
  REQUIRE(::lstat(path.c_str(), &status) == 0);
  return status.st_mtim.tv_nsec == 0 ? status.st_mtim.tv_sec : -1;
}

UmaskScope::UmaskScope(mode_t mask) : old_(::umask(mask)) {}
UmaskScope::~UmaskScope() { ::umask(old_); }

}  // namespace torchpatch::test
