// SPDX-License-Identifier: BSD-3-Clause
#include "support/file.h"

#include <dirent.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>

#include "support/error.h"
#include "support/program.h"
#include "support/text.h"

namespace torchpatch {

namespace {

constexpr std::size_t kPieceBytes = 256 << 10;

/// Reads up to one byte over `limit`, to detect a file that grew.
std::string read_all(int fd, std::size_t expected, std::uint64_t limit, const std::string& path) {
  std::string bytes(expected + 1, '\0');
  std::size_t used = 0;
  for (;;) {
    const ssize_t count = ::read(fd, bytes.data() + used, bytes.size() - used);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw system_error("reading " + quote(path));
    if (count == 0) break;
    used += static_cast<std::size_t>(count);
    if (used > limit) break;
    if (used == bytes.size()) bytes.resize(2 * used);
  }
  bytes.resize(used);
  return bytes;
}

Error too_large(const std::string& path, std::uint64_t limit) {
  return Error(ErrorKind::environment, concat("reading ", quote(path), ": it is larger than ", limit, " bytes"));
}

/// Returns the type of a path, following links, or 0 if it does not exist. Other failures, such as missing permission,
/// raise: a caller that took them for "does not exist" would continue with only part of the files.
mode_t type_behind(const std::string& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) == 0) return status.st_mode & S_IFMT;
  if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP || errno == ENAMETOOLONG) return 0;
  throw system_error("examining " + quote(path));
}

struct stat status_of(const UniqueFd& file, const std::string& path) {
  struct stat status = {};
  if (::fstat(file.get(), &status) != 0) throw system_error("reading " + quote(path));
  return status;
}

std::string without_trailing_slashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

std::string child_path(const std::string& directory, const std::string& name) {
  if (directory.empty()) return name;
  return directory.back() == '/' ? directory + name : directory + "/" + name;
}

/// Returns the names in an open directory in bytewise order; `path` is for messages.
std::vector<std::string> names_in(const UniqueFd& directory, const std::string& path) {
  std::vector<std::string> names;
  for (DirectoryItem& item : read_directory(directory, "listing " + quote(path))) names.push_back(std::move(item.name));
  std::ranges::sort(names);
  return names;
}

struct stat status_at(int directory, const std::string& name, const std::string& path) {
  struct stat status = {};
  if (::fstatat(directory, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
    throw system_error("reading " + quote(path));
  return status;
}

/// Raises environment if a rename to `path` would replace a device, FIFO or socket.
void require_replaceable(const std::string& path) {
  const mode_t type = type_behind(path);
  if (type == 0 || type == S_IFREG || type == S_IFDIR) return;  // rename never replaces a directory by a file
  const char* const what = type == S_IFIFO ? "a FIFO" : type == S_IFSOCK ? "a socket" : "a device";
  throw Error(ErrorKind::environment, concat("writing ", quote(path), ": it is ", what, ", which is not overwritten"),
              "choose another file");
}

/// Writes to a device or FIFO; a FIFO without a reader is refused, not waited for.
void write_into(const std::string& path, std::string_view bytes) {
  const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!fd) throw system_error("writing " + quote(path));
  if (::fcntl(fd.get(), F_SETFL, 0) != 0) throw system_error("writing " + quote(path));
  write_all(fd.get(), bytes, path);
}

void list_below(const UniqueFd& directory, const std::string& root, const std::string& prefix,
                std::vector<std::string>& files) {
  for (const std::string& name : names_in(directory, child_path(root, prefix))) {
    const std::string relative = child_path(prefix, name);
    const std::string path = child_path(root, relative);
    const mode_t mode = status_at(directory.get(), name, path).st_mode;
    if (S_ISREG(mode)) files.push_back(relative);
    if (!S_ISDIR(mode)) continue;
    const UniqueFd child(::openat(directory.get(), name.c_str(), kOpenDirectory | O_NOFOLLOW));
    if (!child) throw system_error("opening " + quote(path));
    list_below(child, root, relative, files);
  }
}

/// Opens a directory to empty it, first restoring its owner's access if the mode bits deny it.
UniqueFd open_to_empty(int parent, const std::string& name, const std::string& path) {
  UniqueFd fd(::openat(parent, name.c_str(), kOpenDirectory | O_NOFOLLOW));
  if (!fd && errno == EACCES) {
    // Plain fchmodat follows links, but a link planted here since the lstat only causes a chmod of something its owner
    // may chmod anyway, and the next open refuses it.
    if (::fchmodat(parent, name.c_str(), 0700, 0) != 0) throw system_error("removing " + quote(path));
    fd = UniqueFd(::openat(parent, name.c_str(), kOpenDirectory | O_NOFOLLOW));
  }
  if (!fd) throw system_error("removing " + quote(path));
  struct stat status = {};
  const bool is_known = ::fstat(fd.get(), &status) == 0;
  if (is_known && status.st_uid == ::geteuid() && (status.st_mode & 0700) != 0700) ::fchmod(fd.get(), 0700);
  return fd;
}

/// Mount points are not emptied: the system reports them as busy, empty or not, on any device.
void remove_entry(int parent, const std::string& name, const std::string& path) {
  const auto removed = [&](int flags) {
    if (::unlinkat(parent, name.c_str(), flags) == 0 || errno == ENOENT) return true;
    if (errno == EBUSY)
      throw Error(ErrorKind::environment, "removing " + quote(path) + ": a file system is mounted there",
                  "unmount it first");
    if (flags == AT_REMOVEDIR && (errno == ENOTEMPTY || errno == EEXIST)) return false;
    throw system_error("removing " + quote(path));
  };
  const int flags = S_ISDIR(status_at(parent, name, path).st_mode) ? AT_REMOVEDIR : 0;
  if (removed(flags)) return;
  empty_directory(open_to_empty(parent, name, path), path);
  if (!removed(flags))
    throw Error(ErrorKind::environment, "removing " + quote(path) + ": another process is writing to it",
                "try again when that has ended");
}

UniqueFd open_lock(const std::string& path) {
  UniqueFd file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!file) throw system_error(concat("opening ", quote(path)));
  return file;
}

bool try_lock(const UniqueFd& file, LockKind kind, const std::string& path) {
  const int operation = kind == LockKind::shared ? LOCK_SH : LOCK_EX;
  if (flock(file.get(), operation | LOCK_NB) == 0) return true;
  if (errno != EWOULDBLOCK && errno != EINTR) throw system_error(concat("locking ", quote(path)));
  return false;
}

/// Locks a file just created, if it still exists; returns false if another run took it for a left-over.
bool lock_own(const UniqueFd& file, const std::string& path) {
  struct stat status = {};
  const bool is_taken = ::flock(file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  return !is_taken && ::lstat(path.c_str(), &status) == 0;
}

constexpr std::string_view kTempName = "torchpatch-tmp-", kTempSuffix = ".torchpatch.tmp-";
constexpr std::string_view kInTemp = "d";  ///< the only entry of a temporary directory
constexpr std::size_t kRandomLetters = 6;

/// Removes the temporary directories that killed runs of this user left, as far as possible.
void remove_left_over_directories(const std::string& directory) try {
  const UniqueFd parent(::open(directory.c_str(), kOpenDirectory));
  for (const DirectoryItem& item : read_directory(parent, "listing " + quote(directory))) {
    if (!starts_with(item.name, kTempName) || item.name.size() != kTempName.size() + kRandomLetters) continue;
    const UniqueFd left(::openat(parent.get(), item.name.c_str(), kOpenDirectory | O_NOFOLLOW));
    struct stat status = {};
    if (!left || ::fstat(left.get(), &status) != 0 || status.st_uid != ::geteuid()) continue;
    const std::string path = child_path(directory, item.name);
    const std::vector<std::string> inside = list_directory(path);
    if (inside.size() > 1 || (inside.size() == 1 && inside.front() != kInTemp)) continue;  // not ours
    if (::flock(left.get(), LOCK_EX | LOCK_NB) != 0) continue;
    empty_directory(left, path);
    ::unlinkat(parent.get(), item.name.c_str(), AT_REMOVEDIR);
  }
} catch (const Error&) {
}

/// The hint is the part of the path that exists.
Error missing_file(const std::string& action, const std::string& path) {
  const std::string why = system_error(action).message();
  std::string there = parent_path(absolute_path(path)), next = base_name(path);
  while (there != "/" && type_at(there) == 0) {
    next = base_name(there);
    there = parent_path(there);
  }
  return Error(ErrorKind::environment, why, concat("no ", quote(next), " in ", quote(there)));
}

}  // namespace

void UniqueFd::reset() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

UniqueFd open_regular_file(const std::string& path, const std::string& what) {
  // O_NONBLOCK: opening a FIFO must not wait for a writer.
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd && errno == ENOENT) throw missing_file(concat("opening ", what, quote(path)), path);
  if (!fd) throw system_error(concat("opening ", what, quote(path)));
  if (S_ISREG(status_of(fd, path).st_mode)) return fd;
  throw Error(ErrorKind::environment, concat("reading ", what, quote(path), ": it is not a regular file"));
}

std::string read_file(const std::string& path, std::uint64_t limit) {
  const UniqueFd fd = open_regular_file(path);
  const auto size = static_cast<std::uint64_t>(status_of(fd, path).st_size);
  if (size > limit) throw too_large(path, limit);
  std::string bytes = read_all(fd.get(), size, limit, path);
  if (bytes.size() > limit) throw too_large(path, limit);
  return bytes;
}

std::function<std::string_view()> pieces_of(int fd, std::uint64_t limit, const std::string& path) {
  return [fd, limit, path, seen = std::uint64_t{0}, piece = std::string(kPieceBytes, '\0')]() mutable {
    ssize_t count = 0;
    do {
      check_interrupted();
      count = ::read(fd, piece.data(), piece.size());
    } while (count < 0 && errno == EINTR);
    if (count < 0) throw system_error("reading " + quote(path));
    seen += static_cast<std::uint64_t>(count);
    if (seen > limit) throw too_large(path, limit);
    return std::string_view(piece).substr(0, static_cast<std::size_t>(count));
  };
}

bool file_exists(const std::string& path) { return type_behind(path) != 0; }

bool is_directory(const std::string& path) { return type_behind(path) == S_IFDIR; }

bool is_regular_file(const std::string& path) { return type_behind(path) == S_IFREG; }

void require_directory(const std::string& path, const std::string& action, const std::string& hint) {
  if (is_directory(path)) return;
  const char* const why = file_exists(path) ? ": it is not a directory" : ": no such directory";
  throw Error(ErrorKind::environment, action + why, hint);
}

mode_t type_at(const std::string& path) {
  struct stat status = {};
  return ::lstat(path.c_str(), &status) == 0 ? status.st_mode & S_IFMT : 0;
}

void write_all(int fd, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw system_error("writing " + quote(path));
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

void write_file_atomically(const std::string& path, std::string_view bytes) {
  const mode_t type = type_behind(path);
  if (type == S_IFCHR || type == S_IFIFO) return write_into(path, bytes);
  TemporaryFile file(path);
  if (::fchmod(file.fd(), 0644) != 0) throw system_error("writing " + quote(path));
  write_all(file.fd(), bytes, path);
  file.rename_to(path);
}

void make_directories(const std::string& path) {
  if (path.empty() || is_directory(path)) return;
  const std::string parent = parent_path(path);
  if (parent != path) make_directories(parent);
  if (::mkdir(path.c_str(), 0777) != 0 && !(errno == EEXIST && is_directory(path)))
    throw system_error("creating directory " + quote(path));
}

std::string parent_path(const std::string& path) {
  const std::string trimmed = without_trailing_slashes(path);
  const std::size_t slash = trimmed.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : without_trailing_slashes(trimmed.substr(0, slash));
}

std::string base_name(const std::string& path) {
  const std::string trimmed = without_trailing_slashes(path);
  const std::size_t slash = trimmed.rfind('/');
  return slash == std::string::npos || trimmed.size() == 1 ? trimmed : trimmed.substr(slash + 1);
}

std::string absolute_path(const std::string& path) {
  if (path.starts_with("/")) return path;
  char* const buffer = ::getcwd(nullptr, 0);
  if (buffer == nullptr) throw system_error("finding the current directory");
  std::string directory = buffer;
  std::free(buffer);
  if (path.empty() || path == ".") return directory;
  if (directory != "/") directory += '/';
  return directory + (path.starts_with("./") ? path.substr(2) : path);
}

std::vector<std::string> list_directory(const std::string& path) {
  return names_in(UniqueFd(::open(path.c_str(), kOpenDirectory)), path);
}

std::vector<DirectoryItem> read_directory(const UniqueFd& directory, const std::string& action) {
  std::vector<DirectoryItem> items;
  alignas(dirent64) std::array<char, 32 << 10> buffer;
  for (;;) {
    // Not readdir, which makes five more system calls per directory.
    const ssize_t size = directory ? ::getdents64(directory.get(), buffer.data(), buffer.size()) : -1;
    const bool is_removed = directory && size < 0 && errno == ENOENT;  // since it was opened
    if (size == 0 || is_removed) return items;
    if (size < 0) throw system_error(action);
    for (ssize_t at = 0; at < size;) {
      const auto* entry = reinterpret_cast<const dirent64*>(buffer.data() + at);
      at += entry->d_reclen;
      const std::string_view name = entry->d_name;
      if (name != "." && name != "..") items.push_back({std::string(name), static_cast<mode_t>(DTTOIF(entry->d_type))});
    }
  }
}

std::vector<std::string> list_files_below(const std::string& root) {
  const UniqueFd fd(::open(root.c_str(), kOpenDirectory));
  if (!fd) throw system_error("listing " + quote(root));
  std::vector<std::string> files;
  list_below(fd, root, "", files);
  std::sort(files.begin(), files.end());  // 'a.c' sorts before 'a/b', but the walk reaches that first
  return files;
}

bool empty_directory(const UniqueFd& directory, const std::string& path) {
  const std::vector<std::string> names = names_in(directory, path);
  for (const std::string& name : names) remove_entry(directory.get(), name, child_path(path, name));
  return !names.empty();
}

void remove_tree(const std::string& path) {
  const std::string name = base_name(path);
  const UniqueFd parent(::open(parent_path(path).c_str(), kOpenDirectory));
  struct stat status = {};
  if (!parent || ::fstatat(parent.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return;
    throw system_error("removing " + quote(path));
  }
  remove_entry(parent.get(), name, path);
}

std::string changeable_by_others(const std::string& path) {
  // In a user namespace, files of unmapped users, such as root's, appear to belong to this one.
  constexpr uid_t kUnknownUser = 65534;
  const char* const kMap = "/proc/self/uid_map";
  const bool has_all_users = !file_exists(kMap) || read_file(kMap).find("4294967295") != std::string::npos;
  for (std::string above = real_path(path);; above = parent_path(above)) {
    struct stat status = {};
    if (::lstat(above.c_str(), &status) != 0) throw system_error("examining " + quote(above));
    const bool is_ours =
        status.st_uid == 0 || status.st_uid == ::geteuid() || (status.st_uid == kUnknownUser && !has_all_users);
    const mode_t others = status.st_gid == status.st_uid ? S_IWOTH : S_IWOTH | S_IWGRP;
    const bool others_may_rename = (status.st_mode & others) != 0 && (status.st_mode & S_ISVTX) == 0;
    if (!is_ours || others_may_rename) return above;
    if (above == "/") return "";
  }
}

TempDir::TempDir() {
  const char* const base = std::getenv("TMPDIR");
  const std::string directory = base != nullptr && *base != '\0' ? base : "/tmp";
  if (const std::string open_to = changeable_by_others(directory); !open_to.empty()) {
    throw Error(ErrorKind::environment,
                concat("creating a temporary directory in ", quote(directory), ": other users can rename what is in ",
                       quote(open_to)),
                "set TMPDIR to a directory that you own, with mode 700");
  }
  remove_left_over_directories(directory);
  std::string locked;
  do {
    locked = concat(child_path(absolute_path(directory), std::string(kTempName)), std::string(kRandomLetters, 'X'));
    if (::mkdtemp(locked.data()) == nullptr)
      throw system_error("creating a temporary directory in " + quote(directory));
    lock_ = UniqueFd(::open(locked.c_str(), kOpenDirectory | O_NOFOLLOW));
    if (!lock_ && errno != ENOENT) throw system_error("opening " + quote(locked));
  } while (!lock_ || !lock_own(lock_, locked));
  path_ = child_path(locked, std::string(kInTemp));  // not `locked`: commands that change a catalog in it lock it
  if (::mkdir(path_.c_str(), 0700) != 0) throw system_error("creating directory " + quote(path_));
}

TempDir::~TempDir() {
  try {
    remove_tree(parent_path(path_));
  } catch (const std::exception&) {
    // A destructor cannot report; what is left is in the system's temporary directory.
  }
}

TemporaryFile::TemporaryFile(const std::string& target) {
  require_replaceable(target);
  const std::string action = concat("writing ", quote(target), ": creating a temporary file next to it");
  do {
    path_ = concat(target, kTempSuffix, std::string(kRandomLetters, 'X'));
    fd_ = UniqueFd(::mkostemp(path_.data(), O_CLOEXEC));
    if (!fd_ && errno == ENOENT) throw missing_file(action, target);
    if (!fd_) throw system_error(action);
  } while (!lock_own(fd_, path_));
}

bool is_temporary_of(std::string_view name, std::string_view target) {
  return name.size() == target.size() + kTempSuffix.size() + kRandomLetters && starts_with(name, target) &&
         name.substr(target.size()).starts_with(kTempSuffix);
}

void remove_left_over(const std::string& target) try {
  for (const std::string& name : list_directory(parent_path(target))) {
    if (!is_temporary_of(name, base_name(target))) continue;
    const std::string file = child_path(parent_path(target), name);
    const UniqueFd left(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (left && ::flock(left.get(), LOCK_EX | LOCK_NB) == 0) ::unlink(file.c_str());
  }
} catch (const Error&) {  // the code that writes the file reports why
}

TemporaryFile::~TemporaryFile() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

void TemporaryFile::rename_to(const std::string& target) {
  require_replaceable(target);
  if (::rename(path_.c_str(), target.c_str()) != 0) throw system_error("writing " + quote(target) + ": renaming it");
  path_.clear();
}

bool TemporaryFile::rename_to_new(const std::string& target) {
  if (::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, target.c_str(), RENAME_NOREPLACE) == 0) {
    path_.clear();
    return true;
  }
  if (errno == EEXIST) return false;
  // If the file system cannot do that: hard link, then remove the first name. Unlike rename, link never replaces an
  // existing file.
  if (::link(path_.c_str(), target.c_str()) == 0) return true;
  if (errno == EEXIST) return false;
  // Without hard links, a file created at this moment would be replaced.
  if (::access(target.c_str(), F_OK) == 0) return false;
  rename_to(target);
  return true;
}

UniqueFd lock_file(const std::string& path, LockKind kind) {
  UniqueFd file = open_lock(path);
  while (!try_lock(file, kind, path)) {
    check_interrupted();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return file;
}

UniqueFd try_lock_file(const std::string& path, LockKind kind) {
  UniqueFd file = open_lock(path);
  if (!try_lock(file, kind, path)) file.reset();
  return file;
}

std::string real_path(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> resolved(::realpath(path.c_str(), nullptr), &std::free);
  return resolved ? resolved.get() : "";
}

std::string join_path(const std::string& directory, const std::string& name) {
  return directory.empty() ? name : concat(directory, "/", name);
}

}  // namespace torchpatch
