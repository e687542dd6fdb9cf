// SPDX-License-Identifier: BSD-3-Clause
/// The staging directory beside OUT: everything is built there, then renamed once.
#pragma once

#include <string>

#include "support/console.h"
#include "support/file.h"

namespace torchpatch::tree {

enum class IfExists {
  refuse,   ///< OUT must be absent or an empty directory
  replace,  ///< an OUT that torchpatch wrote (it has torchpatch/manifest.json) is swapped for the new one atomically
};

/// Owns ".<name>.torchpatch-staging" beside OUT, locked with flock. SIGKILL at any moment leaves the old OUT or none; the
/// next run on the same OUT removes what is left. Nothing else is ever left beside OUT.
class Staging {
 public:
  /// Checks OUT and locks. Raises environment: OUT exists, OUT is not a directory, parent missing or not writable, another run holds the lock ("locked").
  Staging(const std::string& out, IfExists if_exists, Console& console);
  /// Removes the directory unless commit() was called.
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  const std::string& path() const { return path_; }
  /// Renames (or swaps, then removes the old tree). `sync`: fsync the parent directory as well.
  void commit(bool sync);

 private:
  std::string out_;
  std::string path_;
  IfExists if_exists_;
  UniqueFd lock_;
  bool is_committed_ = false;
};

}  // namespace torchpatch::tree
