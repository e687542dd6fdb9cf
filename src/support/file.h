// SPDX-License-Identifier: BSD-3-Clause
/// Files: owned descriptors, whole-file reads, atomic writes, private temporary directories.
#pragma once

#include <cstdint>
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
  UniqueFd& operator=(UniqueFd&& other) noexcept;
  ~UniqueFd();
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  void reset();

 private:
  int fd_ = -1;
};

/// Largest file of our own kind (catalog, manifest, patch) that is read: 64 MiB (reliability E 113).
inline constexpr std::uint64_t kMaxInputBytes = 64ull << 20;

/// Returns the bytes of a regular file. Raises environment: missing, unreadable, not a regular file, over `limit`.
std::string read_file(const std::string& path, std::uint64_t limit = kMaxInputBytes);
bool file_exists(const std::string& path);
bool is_directory(const std::string& path);
/// Writes all bytes to `fd`. Raises environment with `path` in the message.
void write_all(int fd, std::string_view bytes, const std::string& path);
/// Writes `path` by a temporary file beside it and one rename; mode 0644 whatever the umask.
void write_file_atomically(const std::string& path, std::string_view bytes);
/// Creates a directory and its parents.
void make_directories(const std::string& path);
/// Returns the names in a directory in bytewise order, without "." and "..".
std::vector<std::string> list_directory(const std::string& path);
/// Returns the relative paths of the regular files below `root` in bytewise order; symbolic links are not followed.
std::vector<std::string> list_files_below(const std::string& root);
/// Removes a tree without following links and without leaving its file system; absent is fine.
void remove_tree(const std::string& path);
/// Returns the directory part ("." if none) and the last component of a path.
std::string parent_path(const std::string& path);
std::string base_name(const std::string& path);
std::string absolute_path(const std::string& path);

/// A private directory (0700) that is removed at the end of the scope.
class TempDir {
 public:
  /// Creates it below TMPDIR (or /tmp).
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace torchpatch
