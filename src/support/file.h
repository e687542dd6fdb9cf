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

/// An owned file descriptor; -1 = none.
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
  /// Releases ownership of the descriptor.
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

/// Size limit of our own kinds of files (catalog, manifest, patch): 64 MiB.
inline constexpr std::uint64_t kMaxInputBytes = 64ull << 20;

/// Opens a regular file for reading, without waiting for a FIFO. `what` precedes the path in messages, such as "the
/// bundle ". Raises environment: missing, unreadable, not a regular file.
UniqueFd open_regular_file(const std::string& path, const std::string& what = "");
/// Returns the bytes of a regular file. Raises environment: missing, unreadable, not a regular file, over `limit`.
std::string read_file(const std::string& path, std::uint64_t limit = kMaxInputBytes);
/// Returns a function that reads `fd`: each call returns the next piece, valid until the next call, and an empty one at
/// the end. Raises environment: unreadable, or over `limit`; Interrupted, also while waiting.
std::function<std::string_view()> pieces_of(int fd, std::uint64_t limit, const std::string& path);
/// Returns whether a path exists, following links. Raises environment: permission denied.
bool file_exists(const std::string& path);
bool is_directory(const std::string& path);
bool is_regular_file(const std::string& path);
/// Raises environment if a path given by the user is not a directory. `action` begins the message.
void require_directory(const std::string& path, const std::string& action, const std::string& hint);
/// Returns the type (S_IFMT) of a path without following links, or 0 if it cannot be seen.
mode_t type_at(const std::string& path);
/// Writes all bytes to `fd`. Raises environment with `path` in the message.
void write_all(int fd, std::string_view bytes, const std::string& path);
/// Writes `path` by a temporary file next to it and one rename; mode 0644 regardless of the umask. A character device,
/// or a FIFO with a reader, is written to directly. Raises environment; the old file is then unchanged.
void write_file_atomically(const std::string& path, std::string_view bytes);
/// Creates a directory and its parents; existing ones are fine. Raises environment.
void make_directories(const std::string& path);
/// Returns the names in a directory in bytewise order, without "." and "..". Raises environment.
std::vector<std::string> list_directory(const std::string& path);

/// Flags for opening directories.
inline constexpr int kOpenDirectory = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

/// A name in a directory, and its type (S_IFMT), or 0 if the directory does not record it.
struct DirectoryItem {
  std::string name;
  mode_t type = 0;
};
/// Returns the contents of a directory just opened as `directory`, unordered, without "." and ".."; nothing if it was
/// removed in the meantime. Raises environment; `action` begins the message.
std::vector<DirectoryItem> read_directory(const UniqueFd& directory, const std::string& action);

/// Returns the relative paths of the regular files below `root` in bytewise order; symbolic links are not followed.
/// Raises environment.
std::vector<std::string> list_files_below(const std::string& root);
/// Removes a tree (or a file) without following links; absent is fine. Makes directories accessible first if their mode
/// bits prevent it. Raises environment: permission, or a mount inside it.
void remove_tree(const std::string& path);
/// The same for the contents of a directory just opened, even if it was moved, but not the directory itself; returns
/// whether there were any. `path` is for messages.
bool empty_directory(const UniqueFd& directory, const std::string& path);
/// Returns the directory part ("." if none) and the last component of a path.
std::string parent_path(const std::string& path);
std::string base_name(const std::string& path);
/// Returns `path` relative to the current directory as an absolute path; ".." is kept, as links may precede it.
std::string absolute_path(const std::string& path);

/// Returns the directory, `path` or one above it, in which users other than this one and root could rename our files,
/// or empty text. A group whose id equals its owner's counts as the owner (Debian's user private groups). Raises
/// environment.
std::string changeable_by_others(const std::string& path);

/// A private directory (0700), removed at the end of the scope, or after a crash by the next run that creates one.
class TempDir {
 public:
  /// Creates it in a locked "torchpatch-tmp-XXXXXX" below TMPDIR (or /tmp). Removes left-over ones of killed runs
  /// there: those that are ours, contain nothing else and are not locked. Raises environment, also if other users could
  /// replace the directory.
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  UniqueFd lock_;
};

// A file written next to its target that then replaces it atomically, or is removed. It replaces only files and links
// to files, never a device, FIFO, socket or directory.

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
  /// Renames it to `target` unless that exists; returns false if it does. Raises environment.
  bool rename_to_new(const std::string& target);

 private:
  std::string path_;
  UniqueFd fd_;
};

/// Returns whether `name` is a temporary file for a file called `target`; both without directories.
bool is_temporary_of(std::string_view name, std::string_view target);

/// Removes temporary files of killed runs next to a file, as far as possible: those not locked by any process.
void remove_left_over(const std::string& target);

// Locks between processes (flock); they end with the process.

enum class LockKind { shared, exclusive };

/// Waits for the lock on a file, created if missing, and holds it for the lifetime of the result. Raises environment,
/// Interrupted.
UniqueFd lock_file(const std::string& path, LockKind kind);

/// The same without waiting: returns no descriptor if another process holds the lock.
UniqueFd try_lock_file(const std::string& path, LockKind kind);

/// Returns the path without links and dots, or empty text if it does not exist.
std::string real_path(const std::string& path);
/// Returns "directory/name", or only the name if the directory is empty.
std::string join_path(const std::string& directory, const std::string& name);

}  // namespace torchpatch
