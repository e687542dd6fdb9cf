// SPDX-License-Identifier: BSD-3-Clause
/// The staging directory beside OUT: everything is built there, then renamed once.
#pragma once

#include <string>

#include "support/console.h"
#include "support/file.h"
#include "tree/output_place.h"

namespace torchpatch::tree {

enum class IfExists {
  refuse,   ///< OUT must be absent or an empty directory
  replace,  ///< an OUT that torchpatch wrote (it has the record) is swapped for the new one atomically
};

/// Owns ".<name>.torchpatch-staging" beside OUT, locked with flock. SIGKILL at any moment leaves the old OUT or none;
/// the next run on the same OUT removes what is left. Nothing else is ever left beside OUT.
class Staging {
 public:
  /// Checks OUT, locks, and removes what an interrupted run left (a warning says so). Raises environment: OUT exists,
  /// is not a directory, is a mount point or holds the working directory; its parent is missing or not writable;
  /// another run holds the lock ("locked"); the staging directory's name is taken by something else. `console` must
  /// outlive this.
  Staging(const std::string& out, IfExists if_exists, Console& console, OutputRecord record = {});
  /// Removes the directory unless commit() was called.
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  /// The directory to build in: mode 0700 until commit().
  const std::string& path() const { return path_; }
  /// Renames (or swaps, then removes the old tree); OUT then has mode 0755. `sync`: fsync the directory and its parent
  /// as well. Raises environment where OUT has changed in the meantime, or its file system cannot swap directories.
  void commit(bool sync);

 private:
  void lock();
  void remove_leftovers();
  /// Refuses an OUT that must not be written; returns whether an old tree stands there, which commit() has to swap.
  bool check_out() const;
  void swap_with_old_tree();

  std::string out_;
  std::string path_;
  IfExists if_exists_;
  OutputRecord record_;
  Console& console_;
  UniqueFd lock_;  ///< the staging directory itself
  bool is_committed_ = false;
};

}  // namespace torchpatch::tree
