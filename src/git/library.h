// SPDX-License-Identifier: BSD-3-Clause
/// libgit2's objects as owned values, and its error codes as Errors. For this directory's .cpp files only.
#pragma once

#include <git2.h>

#include <memory>
#include <string>

#include "support/error.h"
#include "support/text.h"

namespace torchpatch::git {

/// Initialises libgit2 once per process. Raises internal if that fails. It takes about ten milliseconds, because
/// libgit2 reads all certificates of the machine.
void initialize_library();

/// Calls libgit2's free function for a handle.
template <auto kFree>
struct Deleter {
  template <typename T>
  void operator()(T* handle) const {
    kFree(handle);
  }
};

using OdbHandle = std::unique_ptr<git_odb, Deleter<git_odb_free>>;
using OdbObjectHandle = std::unique_ptr<git_odb_object, Deleter<git_odb_object_free>>;

/// Receives the handle from a libgit2 call: `git_odb_new(Out(odb))`.
template <typename T, typename D>
class Out {
 public:
  explicit Out(std::unique_ptr<T, D>& handle) : handle_(handle) {}
  ~Out() { handle_.reset(raw_); }
  Out(const Out&) = delete;
  Out& operator=(const Out&) = delete;
  operator T**() { return &raw_; }  // NOLINT: meant to be implicit, as an argument

 private:
  std::unique_ptr<T, D>& handle_;
  T* raw_ = nullptr;
};

/// Raises source, with libgit2's reason, if `code` is an error.
inline void check(int code, const std::string& action) {
  if (code >= 0) return;
  const git_error* last = git_error_last();  // may be null
  throw Error(ErrorKind::source,
              concat(action, ": ", last && last->message ? last->message : "libgit2 gives no reason"));
}

}  // namespace torchpatch::git
