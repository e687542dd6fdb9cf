// SPDX-License-Identifier: BSD-3-Clause
// Runs a program and all its processes, and lets one system call go wrong:
//
//   inject LOG AT ACTION PROGRAM ARGUMENT…
//
// AT counts the calls of kCalls from 1, in the order in which they begin, over all processes: strace's `inject` counts
// in each process for itself, so that it cannot reach a worker's fifth call where the parent dies of its own fifth.
// ACTION: `count` (nothing goes wrong), `error=NUMBER`, `errors=NUMBER` (this call and all later ones of its name),
// `short` (a read or write of half the bytes), `kill` (SIGKILL to all), `signal=NUMBER` (to the first process).
// LOG gets a line for each call that was counted (`count`) or went wrong: its name and its path, if it has one.
// Ends as the program ends.
#include <elf.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

namespace {

struct Call {
  long number;
  const char* name;
  int path;  // which argument is a path; -1: none
};

constexpr Call kCalls[] = {
#ifdef SYS_open
    {SYS_open, "open", 0},
    {SYS_mkdir, "mkdir", 0},
    {SYS_rename, "rename", 0},
    {SYS_link, "link", 0},
    {SYS_symlink, "symlink", 1},
    {SYS_unlink, "unlink", 0},
    {SYS_rmdir, "rmdir", 0},
    {SYS_chmod, "chmod", 0},
    {SYS_readlink, "readlink", 0},
    {SYS_pipe, "pipe", -1},
    {SYS_poll, "poll", -1},
    {SYS_fork, "fork", -1},
#endif
    {SYS_openat, "openat", 1},
    {SYS_read, "read", -1},
    {SYS_pread64, "pread64", -1},
    {SYS_write, "write", -1},
    {SYS_pwrite64, "pwrite64", -1},
    {SYS_writev, "writev", -1},
    {SYS_close, "close", -1},
    {SYS_mkdirat, "mkdirat", 1},
    {SYS_renameat, "renameat", 1},
    {SYS_renameat2, "renameat2", 1},
    {SYS_linkat, "linkat", 1},
    {SYS_symlinkat, "symlinkat", 2},
    {SYS_unlinkat, "unlinkat", 1},
    {SYS_readlinkat, "readlinkat", 1},
    {SYS_fchmod, "fchmod", -1},
    {SYS_fchmodat, "fchmodat", 1},
    {SYS_utimensat, "utimensat", 1},
    {SYS_fsync, "fsync", -1},
    {SYS_ftruncate, "ftruncate", -1},
    {SYS_flock, "flock", -1},
    {SYS_newfstatat, "newfstatat", 1},
    {SYS_getdents64, "getdents64", -1},
    {SYS_mmap, "mmap", -1},
    {SYS_pipe2, "pipe2", -1},
    {SYS_ppoll, "ppoll", -1},
    {SYS_wait4, "wait4", -1},
    {SYS_clone, "clone", -1},
    {SYS_chdir, "chdir", 0},
};

const Call* find_call(long number) {
  for (const Call& call : kCalls)
    if (call.number == number) return &call;
  return nullptr;
}

bool moves_bytes(long number) {
  return number == SYS_read || number == SYS_write || number == SYS_pread64 || number == SYS_pwrite64;
}

#if defined(__x86_64__)
using Registers = user_regs_struct;
unsigned long long& argument(Registers& registers) { return registers.rdx; }
unsigned long long& result(Registers& registers) { return registers.rax; }
#elif defined(__aarch64__)
using Registers = user_regs_struct;
unsigned long long& argument(Registers& registers) { return registers.regs[2]; }
unsigned long long& result(Registers& registers) { return registers.regs[0]; }
#endif

template <typename Change>
void change_registers(pid_t pid, const Change& change) {
  Registers registers = {};
  iovec area = {&registers, sizeof registers};
  if (ptrace(PTRACE_GETREGSET, pid, NT_PRSTATUS, &area) != 0) return;
  change(registers);
  ptrace(PTRACE_SETREGSET, pid, NT_PRSTATUS, &area);
}

/// Lets the call that begins be none; its result is set when it ends.
void skip_call(pid_t pid) {
#if defined(__x86_64__)
  change_registers(pid, [](Registers& registers) { registers.orig_rax = ~0ull; });
#elif defined(__aarch64__)
  int none = -1;
  iovec area = {&none, sizeof none};
  ptrace(PTRACE_SETREGSET, pid, NT_ARM_SYSTEM_CALL, &area);
#endif
}

std::string text_at(pid_t pid, unsigned long long address) {
  char buffer[256] = {};
  const iovec here = {buffer, sizeof buffer - 1};
  const iovec there = {reinterpret_cast<void*>(address), sizeof buffer - 1};
  if (process_vm_readv(pid, &here, 1, &there, 1, 0) < 0) return "?";
  return buffer;
}

struct Injection {
  FILE* log;
  long at;
  std::string action;
  int number;  // of an error or a signal
  long seen = 0;
  long call = -1;                   // what went wrong
  std::map<pid_t, bool> skipped{};  // processes whose call has to fail
};

void begin_call(Injection& injection, pid_t first, pid_t pid, const __ptrace_syscall_info& info) {
  const Call* const call = find_call(static_cast<long>(info.entry.nr));
  if (call == nullptr) return;
  const bool counts = injection.action == "count";
  ++injection.seen;
  const bool is_later = injection.action == "errors" && injection.seen > injection.at && call->number == injection.call;
  if (!counts && injection.seen != injection.at && !is_later) return;
  injection.call = call->number;
  fprintf(injection.log, "%s %s %s\n", call->name, pid == first ? "parent" : "worker",
          call->path < 0 ? "" : text_at(pid, info.entry.args[call->path]).c_str());
  fflush(injection.log);
  if (injection.action == "error" || injection.action == "errors") {
    // A descriptor is closed even where close() fails.
    if (call->number != SYS_close) skip_call(pid);
    injection.skipped[pid] = true;
  } else if (injection.action == "short" && moves_bytes(call->number)) {
    change_registers(pid, [](Registers& registers) {
      if (argument(registers) > 1) argument(registers) /= 2;
    });
  } else if (injection.action == "kill") {
    kill(-first, SIGKILL);
  } else if (injection.action == "signal") {
    kill(first, injection.number);
  }
}

void end_call(Injection& injection, pid_t pid) {
  if (!injection.skipped[pid]) return;
  injection.skipped[pid] = false;
  change_registers(pid, [&](Registers& registers) {
    result(registers) = static_cast<unsigned long long>(-static_cast<long long>(injection.number));
  });
}

/// Looks at a stopped process; returns the signal to go on with.
int look_at(Injection& injection, pid_t first, pid_t pid, int status) {
  const int signal = WSTOPSIG(status);
  if (signal != (SIGTRAP | 0x80)) {
    const bool is_event = signal == SIGTRAP || status >> 16 != 0;
    return is_event || (signal == SIGSTOP && pid != first) ? 0 : signal;
  }
  __ptrace_syscall_info info = {};
  if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info) <= 0) return 0;
  if (info.op == PTRACE_SYSCALL_INFO_ENTRY) begin_call(injection, first, pid, info);
  if (info.op == PTRACE_SYSCALL_INFO_EXIT) end_call(injection, pid);
  return 0;
}

/// Follows all processes until the first one ends; returns its status.
int follow(Injection& injection, pid_t first) {
  for (;;) {
    int status = 0;
    const pid_t pid = waitpid(-1, &status, __WALL);
    if (pid < 0) return 0;
    if (!WIFSTOPPED(status)) {
      if (pid == first) return status;
      continue;
    }
    ptrace(PTRACE_SYSCALL, pid, 0, look_at(injection, first, pid, status));
  }
}

pid_t start(char** argv) {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  setpgid(0, 0);
  ptrace(PTRACE_TRACEME, 0, 0, 0);
  raise(SIGSTOP);
  execvp(argv[0], argv);
  _exit(127);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) return 125;
  std::string action = argv[3];
  const std::size_t equals = action.find('=');
  const int number = equals == std::string::npos ? 0 : std::atoi(action.c_str() + equals + 1);
  Injection injection{std::fopen(argv[1], "w"), std::atol(argv[2]), action.substr(0, equals), number};
  if (injection.log == nullptr) return 125;
  const pid_t first = start(argv + 4);
  int status = 0;
  waitpid(first, &status, 0);
  ptrace(PTRACE_SETOPTIONS, first, 0,
         PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC |
             PTRACE_O_EXITKILL);
  ptrace(PTRACE_SYSCALL, first, 0, 0);
  status = follow(injection, first);
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  signal(WTERMSIG(status), SIG_DFL);
  raise(WTERMSIG(status));
  return 125;
}
