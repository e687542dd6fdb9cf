// SPDX-License-Identifier: BSD-3-Clause
/// Replaces directories atomically: Staging builds OUT next to itself and renames it once; change_catalog() changes
/// files of a catalog together.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "support/console.h"
#include "support/error.h"
#include "support/file.h"

namespace torchpatch::tree {

/// Returns the absolute path of OUT as given by the user, without trailing slashes, a last component "." or ".."
/// resolved. Raises environment for an empty path, "/", and a missing parent directory.
std::string output_path(const std::string& out);

/// Returns the path of the staging directory next to `path`: ".<name>.torchpatch-staging", or if that name would be too
/// long, ".<SHA-256 of the name>.torchpatch-staging".
std::string staging_path(const std::string& path);

/// How to recognise a directory that torchpatch wrote, and what to call it.
struct OutputRecord {
  std::string path = "torchpatch/manifest.json";  ///< a regular file in it, not through links; empty: any
  std::string what = "a prepared tree";
  std::string refusal = "it contains files that torchpatch did not write";  ///< if the record is missing
  std::vector<std::string> names{};  ///< everything it may contain, else it is also someone else's; empty: anything
  std::string without_swap = "remove the old tree, then run without --replace";  ///< if the file system cannot swap
};

enum class OutputState { absent, empty, prepared };

/// Returns the state of OUT: absent, an empty directory, or written by torchpatch (it has the record). Raises
/// environment for anything else: a file, a link, a mount point, a directory that contains the working directory or
/// someone else's files.
OutputState output_state(const std::string& path, const OutputRecord& record = {});

/// Opens a directory and locks it with flock, without waiting. Raises environment: "locked", or it is a link.
UniqueFd lock_directory(const std::string& path);

// The staging directory next to OUT: everything is built there, then renamed once.

enum class IfExists {
  refuse,   ///< OUT must be absent or an empty directory
  replace,  ///< an OUT that torchpatch wrote (with the record) is swapped atomically
};

/// Error of kind environment: the file system of OUT cannot swap directories. Nothing was changed.
class CannotSwap : public Error {
 public:
  using Error::Error;
};

/// Owns ".<name>.torchpatch-staging" next to OUT, locked with flock. SIGKILL at any time leaves the old OUT or none;
/// the next run on the same OUT removes the rest. Nothing else is ever left next to OUT.
class Staging {
 public:
  /// Checks OUT, locks it, and removes the remains of an interrupted run (with a warning). Raises environment: OUT
  /// exists, is not a directory, is a mount point or contains the working directory; its parent is missing or not
  /// writable; another run holds the lock ("locked"); something else has the staging directory's name. `console` must
  /// outlive this.
  Staging(const std::string& out, IfExists if_exists, Console& console, OutputRecord record = {});
  /// Removes the directory unless commit() was called.
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  /// Returns the directory to build in: mode 0700 until commit(). The path goes through the open descriptor
  /// (/proc/self/fd), so that writes stay in this directory even if someone moves it or replaces it by a link. Without
  /// /proc it is the directory's name; raises environment if someone else could move it.
  std::string path() const;
  /// Renames (or swaps, then removes the old tree); OUT then has this mode. `sync`: also fsync the directory and its
  /// parent. Raises environment if OUT changed in the meantime, or the directory is no longer where it was created;
  /// CannotSwap.
  void commit(bool sync, mode_t mode = 0755);

 private:
  void lock();
  void remove_leftovers();
  /// Renames the staging directory to OUT; if it was replaced by something else, undoes that and raises.
  void rename_into_place(unsigned flags);
  /// Refuses an OUT that must not be written; returns whether there is an old tree for commit() to swap.
  bool check_out() const;
  void swap_with_old_tree();

  std::string out_;
  std::string path_;
  IfExists if_exists_;
  OutputRecord record_;
  Console& console_;
  UniqueFd parent_;  ///< of OUT and the staging directory
  UniqueFd lock_;    ///< the staging directory itself
  bool is_committed_ = false;
};

// Files of a catalog directory, changed together.

/// New contents of files in a catalog directory, by relative path ("patchsets/x/patchset.json"); nothing: removed, for
/// a folder with everything in it.
using FileChanges = std::map<std::string, std::optional<std::string>>;

/// Makes the changes; files that already match are not touched. Whenever the process ends (SIGKILL, a full disk), each
/// folder of the catalog is either old or new: if more than one of its files changes, it is rebuilt next to itself,
/// with hard links to unchanged files, and swapped. All folders are built before the first swap, and swapped in an
/// order that leaves a loadable catalog after each: releases and boards that are added, issues only removed, patchsets,
/// results and added issues, releases and boards only removed. Folders without files are removed, except the catalog's
/// own; modes are kept. Remains of a killed run are removed by the next one (with a warning); loading ignores them. If
/// a file system cannot swap folders, files are changed one by one, with a warning. Raises environment: as Staging;
/// another run changes the same directory ("locked").
void change_catalog(const std::string& directory, const FileChanges& changes, Console& console);

}  // namespace torchpatch::tree
