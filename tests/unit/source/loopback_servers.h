// SPDX-License-Identifier: BSD-3-Clause
/// Servers on loopback.
#pragma once

#include <sys/types.h>

#include <string>

#include "support/file.h"

namespace torchpatch::test {

/// A git daemon that serves every repository below a directory.
class GitDaemon {
 public:
  /// True where git's daemon is installed.
  static bool is_installed();
  /// Starts it on a free port. Fails the test where it does not come up.
  explicit GitDaemon(const std::string& directory);
  ~GitDaemon();
  GitDaemon(const GitDaemon&) = delete;
  GitDaemon& operator=(const GitDaemon&) = delete;

  /// Returns "git://127.0.0.1:<port>/<repository>".
  std::string url(const std::string& repository) const;

 private:
  pid_t pid_ = -1;
  int port_ = 0;
};

/// Takes connections and never says a word.
class SilentServer {
 public:
  SilentServer();
  /// Returns "git://127.0.0.1:<port>/silent".
  std::string url() const;

 private:
  UniqueFd socket_;
  int port_ = 0;
};

}  // namespace torchpatch::test
