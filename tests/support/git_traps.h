// SPDX-License-Identifier: BSD-3-Clause
/// What a stranger can put into a repository so that git runs it.
#pragma once

#include <string>
#include <vector>

#include "support/file.h"

namespace torchpatch::test {

/// Canaries, one for each key of the configuration and each place of a repository that git-config(1), gitattributes(5)
/// and githooks(5) document as running a program or reading another file that could name one.
class GitTraps {
 public:
  /// Lays them in a repository: a ".git", or a bare one.
  void lay(const std::string& repository) const;
  /// Adds a value that fits no key to every key that the installed git knows: a git that reads it fails.
  void spoil(const std::string& configuration) const;
  /// Makes a program; returns its path.
  std::string canary(const std::string& name) const;
  /// The names of the canaries that ran.
  std::vector<std::string> sprung() const;

 private:
  TempDir folder_;
};

}  // namespace torchpatch::test
