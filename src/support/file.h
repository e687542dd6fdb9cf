// SPDX-License-Identifier: BSD-3-Clause
/// Files: owned descriptors (UniqueFd), whole-file reads (read_file), atomic writes (write_file_atomically), temporary
/// directories (TempDir), and locks between processes (lock_file).
#pragma once

#include <fcntl.h>
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace torchpatch {

/// An owned file descriptor; -1 is none.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~UniqueFd() { reset(); }
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  /// Closes it.
  void reset();
  /// Gives the descriptor away.
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

/// Largest file of our own kind (catalog, manifest, patch) that is read: 64 MiB.
inline constexpr std::uint64_t kMaxInputBytes = 64ull << 20;

/// Opens a regular file for reading; a FIFO is not waited for. `what` stands before the path in messages, such as
/// "the bundle ". Raises environment: missing, unreadable, not a regular file.
UniqueFd open_regular_file(const std::string& path, const std::string& what = "");
/// Returns the bytes of a regular file. Raises environment: missing, unreadable, not a regular file, over `limit`.
std::string read_file(const std::string& path, std::uint64_t limit = kMaxInputBytes);
/// Returns the next piece of what is open as `fd` on each call, valid until the next one, and nothing at its end.
/// Raises environment: unreadable, or over `limit`; Interrupted, also while it waits.
std::function<std::string_view()> pieces_of(int fd, std::uint64_t limit, const std::string& path);
/// Returns whether anything is there that a path leads to; links are followed. Raises environment: no leave to look.
bool file_exists(const std::string& path);
bool is_directory(const std::string& path);
bool is_regular_file(const std::string& path);
/// Raises environment where no directory is at a path that somebody named. `action` begins the message.
void require_directory(const std::string& path, const std::string& action, const std::string& hint);
/// Returns the type (S_IFMT) of what stands at a path, a link's own, or 0 where nothing is to be seen.
mode_t type_at(const std::string& path);
/// Writes all bytes to `fd`. Raises environment with `path` in the message.
void write_all(int fd, std::string_view bytes, const std::string& path);
/// Writes `path` by a temporary file beside it and one rename; mode 0644 whatever the umask. A character device, or a
/// FIFO that somebody reads, is written into. Raises environment; the old file is then as it was.
void write_file_atomically(const std::string& path, std::string_view bytes);
/// Creates a directory and its parents; those that exist are fine. Raises environment.
void make_directories(const std::string& path);
/// Returns the names in a directory in bytewise order, without "." and "..". Raises environment.
std::vector<std::string> list_directory(const std::string& path);

/// How directories are opened.
inline constexpr int kOpenDirectory = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

/// A name in a directory, and the type (S_IFMT) of what stands there, or 0 where the directory itself does not tell.
struct DirectoryItem {
  std::string name;
  mode_t type = 0;
};
/// Returns what the directory that was just opened as `directory` holds, in no order, without "." and ".."; nothing
/// where it was removed since. Raises environment; `action` begins the message.
std::vector<DirectoryItem> read_directory(const UniqueFd& directory, const std::string& action);

/// Returns the relative paths of the regular files below `root` in bytewise order; symbolic links are not followed.
/// Raises environment.
std::vector<std::string> list_files_below(const std::string& root);
/// Removes a tree (or a file) without following links; absent is fine. Directories that their bits close to us are
/// opened first. Raises environment: permission, or something is mounted in it.
void remove_tree(const std::string& path);
/// The same of all that lies in a directory that was just opened, wherever it stands by now, without its name; returns
/// whether there was anything. `path` is for messages.
bool empty_directory(const UniqueFd& directory, const std::string& path);
/// Returns the directory part ("." if none) and the last component of a path.
std::string parent_path(const std::string& path);
std::string base_name(const std::string& path);
/// Returns `path` below the current directory where it is relative; ".." stays, for links may stand before it.
std::string absolute_path(const std::string& path);

/// Returns the directory, `path` or one above it, in which users other than this one and root can rename what this one
/// made, or empty text. A group whose number is its owner's is the owner alone (Debian's user private groups). Raises
/// environment.
std::string changeable_by_others(const std::string& path);

/// A private directory (0700) that is removed at the end of the scope, or by the next run that makes one.
class TempDir {
 public:
  /// Creates it in "torchpatch-tmp-XXXXXX" below TMPDIR (or /tmp), which is locked, and removes those there that belong
  /// to us, hold nothing else and are locked by no process: their runs were killed. Raises environment, also where
  /// others could put a directory of theirs in its place.
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  UniqueFd lock_;
};

// A file that is written beside its target and takes its place at once, or is gone. It takes the place of a file or of
// a link to one alone, never of a device, FIFO, socket or directory.

class TemporaryFile {
 public:
  /// Creates "<target>.torchpatch.tmp-XXXXXX", mode 0600, locked. Raises environment.
  explicit TemporaryFile(const std::string& target);
  /// Removes it unless it was renamed.
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  int fd() const { return fd_.get(); }
  /// Renames it over `target`. Raises environment.
  void rename_to(const std::string& target);
  /// Renames it to `target` where nothing is there; returns false where something is. Raises environment.
  bool rename_to_new(const std::string& target);

 private:
  std::string path_;
  UniqueFd fd_;
};

/// Whether `name` is that of a temporary file beside a file called `target`, both without directories.
bool is_temporary_of(std::string_view name, std::string_view target);

/// Removes what killed runs left beside a file, as far as it can: the temporary ones that no process has locked.
void remove_left_over(const std::string& target);

// Locks between processes (flock): a dead process holds none.

enum class LockKind { shared, exclusive };

/// Waits for the lock on a file, which is made where it is not there, and holds it as long as the result lives. Raises
/// environment, Interrupted.
UniqueFd lock_file(const std::string& path, LockKind kind);

/// The same without waiting: no descriptor where another process holds the lock.
UniqueFd try_lock_file(const std::string& path, LockKind kind);

/// Returns the path without links and dots, or empty text where nothing is there.
std::string real_path(const std::string& path);
/// Returns "directory/name", or the name alone where the directory is empty.
std::string join_path(const std::string& directory, const std::string& name);

}  // namespace torchpatch
