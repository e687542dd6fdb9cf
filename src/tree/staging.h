// SPDX-License-Identifier: BSD-3-Clause
/// Replaces directories at once: Staging builds OUT beside itself and renames it once; change_catalog() changes the
/// files of a catalog together.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "support/console.h"
#include "support/error.h"
#include "support/file.h"

namespace torchpatch::tree {

/// Returns the absolute path of OUT as the user gave it, without trailing slashes, a last component "." or ".."
/// resolved. Raises environment for an empty path, for "/", and where there is no parent directory.
std::string output_path(const std::string& out);

/// Returns the path of the staging directory beside `path`: ".<name>.torchpatch-staging", or, where that would be
/// longer than a name may be, ".<SHA-256 of the name>.torchpatch-staging".
std::string staging_path(const std::string& path);

/// What tells that torchpatch wrote a directory, and what it is called.
struct OutputRecord {
  std::string path = "torchpatch/manifest.json";  ///< a regular file in it; no link on the way. Empty: any directory is
  std::string what = "a prepared tree";
  std::string refusal = "it contains files that torchpatch did not write";  ///< of a directory without the record
  std::vector<std::string> names{};  ///< of all that it may hold; else it is somebody's as well. Empty: anything
  std::string without_swap = "remove the old tree, then run without --replace";  ///< where the file system cannot swap
};

enum class OutputState { absent, empty, prepared };

/// Returns what stands at OUT: nothing, an empty directory, or what torchpatch wrote (it has the record). Raises
/// environment for everything else: a file, a link, a mount point, a directory that holds the working directory or
/// files of someone else.
OutputState output_state(const std::string& path, const OutputRecord& record = {});

/// Opens a directory and locks it with flock, without waiting. Raises environment: "locked", or it is a link.
UniqueFd lock_directory(const std::string& path);

// The staging directory beside OUT: everything is built there, then renamed once.

enum class IfExists {
  refuse,   ///< OUT must be absent or an empty directory
  replace,  ///< an OUT that torchpatch wrote (it has the record) is swapped for the new one atomically
};

/// environment: the file system of OUT cannot swap directories. Nothing has changed.
class CannotSwap : public Error {
 public:
  using Error::Error;
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

  /// The directory to build in: mode 0700 until commit(). It goes by the open descriptor (/proc/self/fd), so that what
  /// is written by it stays in this directory, whoever moves it away or puts a link in its place. Without /proc it is
  /// the directory's name; raises environment where somebody else could move it.
  std::string path() const;
  /// Renames (or swaps, then removes the old tree); OUT then has this mode. `sync`: fsync the directory and its parent
  /// as well. Raises environment where OUT has changed in the meantime, or the directory does not stand where it was
  /// made; CannotSwap.
  void commit(bool sync, mode_t mode = 0755);

 private:
  void lock();
  void remove_leftovers();
  /// Renames staging directory and OUT; where something else was put at the former by then, undoes it and raises.
  void rename_into_place(unsigned flags);
  /// Refuses an OUT that must not be written; returns whether an old tree stands there, which commit() has to swap.
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

/// Files of a catalog directory, by path relative to it ("patchsets/x/patchset.json"), and what becomes of each;
/// nothing: it goes, a folder with all that is in it.
using FileChanges = std::map<std::string, std::optional<std::string>>;

/// Makes the changes; what is so already is left alone. Whenever the process ends (SIGKILL, a full disk), each folder
/// of the catalog is the old one or the new one: where more than one of its files changes, it is built anew beside
/// itself, with hard links to what stays, and swapped. All folders are built before the first takes its place, and take
/// it in an order that leaves a catalog which loads after each: releases and boards that come, issues that only go,
/// patchsets, results and issues that come, releases and boards that only go. Folders that hold no file any more go,
/// but for those of the catalog itself; modes stay. What a killed run left is removed by the next one (a warning says
/// so); loading passes over it. Where a file system cannot swap folders, files change one by one, and a warning says
/// so. Raises environment: as Staging; another run changes the same directory ("locked").
void change_catalog(const std::string& directory, const FileChanges& changes, Console& console);

}  // namespace torchpatch::tree
