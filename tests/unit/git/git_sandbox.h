// SPDX-License-Identifier: BSD-3-Clause
/// Real repositories for tests, made by the git program with nothing of the machine's configuration.
#pragma once

#include <string>
#include <vector>

#include "support/digest.h"
#include "support/file.h"

namespace torchpatch::test {

class GitSandbox {
 public:
  /// The directory that everything lies in; removed at the end.
  const std::string& path() const { return directory_.path(); }

  /// Runs git in `directory` (relative to path()); returns what it printed, without the last newline. Fails the test
  /// where git fails.
  std::string git(const std::string& directory, const std::vector<std::string>& arguments) const;
  /// Makes a repository with a work tree; returns its absolute path.
  std::string init(const std::string& directory) const;
  /// Writes a file below path(), with its directories.
  void write(const std::string& file, const std::string& bytes) const;
  /// Commits everything in the work tree with a fixed author and date; returns the commit.
  ObjectId commit(const std::string& directory) const;
  /// Stages `commit` as a submodule at `path`, without a repository there.
  void stage_gitlink(const std::string& directory, const std::string& path, const ObjectId& commit) const;
  /// Returns the id of "HEAD:path" and the like.
  ObjectId id(const std::string& directory, const std::string& revision) const;

 private:
  TempDir directory_;
};

/// Returns the one file of `directory` whose name ends with `suffix`. Fails the test where there is none.
std::string find_file(const std::string& directory, const std::string& suffix);
/// Replaces a file's bytes, read-only or not.
void overwrite_file(const std::string& path, const std::string& bytes);

}  // namespace torchpatch::test
