// SPDX-License-Identifier: BSD-3-Clause
/// Child processes for tests that kill, stop or confine what runs.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

namespace torchpatch::test {

/// Watches, from a process of its own, for the first other child of this process, and sends it a signal.
class ChildHunter {
 public:
  explicit ChildHunter(int signal);
  /// Ends it; returns whether it met a child.
  bool finish();

 private:
  pid_t pid_;
};

/// True where this process has children, running or not yet waited for.
bool has_children();

enum class Confined { done, failed, unavailable };

/// Runs `action` in a child that has a tmpfs of `kibibytes` at `directory`, in a mount namespace of its own. failed:
/// `action` returned false or raised. unavailable: this machine lets us have no such namespace.
Confined with_tmpfs(const std::string& directory, int kibibytes, const std::function<bool()>& action);

/// Runs `action` in a child whose file systems all cannot swap directories; returns whether it returned true.
bool without_swaps(const std::function<bool()>& action);

/// Permission bits (07777) and modification time of what stands at `path`; links are not followed.
unsigned mode_of(const std::string& path);
long mtime_of(const std::string& path);

/// Sets the umask for a scope.
class UmaskScope {
 public:
  explicit UmaskScope(mode_t mask);
  ~UmaskScope();
  UmaskScope(const UmaskScope&) = delete;
  UmaskScope& operator=(const UmaskScope&) = delete;

 private:
  mode_t old_;
};

}  // namespace torchpatch::test
