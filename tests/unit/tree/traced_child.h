// SPDX-License-Identifier: BSD-3-Clause
/// A child process that is led from system call to system call.
#pragma once

#include <sys/types.h>

#include <functional>

namespace torchpatch::test {

class TracedChild {
 public:
  /// Forks a child that will do `action` and exit with 0, or with 1 if it raises; it has not begun yet.
  explicit TracedChild(const std::function<void()>& action);
  ~TracedChild();
  TracedChild(const TracedChild&) = delete;
  TracedChild& operator=(const TracedChild&) = delete;

  /// Lets the child run until it is about to begin its next system call. Returns false where it has ended instead.
  bool run_to_next_call();
  /// The same, until it is about to begin the system call of this number.
  bool run_to_call(long number);
  /// Lets the child run to its end; returns its exit code, or -1.
  int finish();

 private:
  bool resume();

  pid_t pid_;
  int status_ = 0;
};

}  // namespace torchpatch::test
