// SPDX-License-Identifier: BSD-3-Clause
#include "support/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "support/error.h"
#include "support/temporary_file.h"
#include "support/text.h"

namespace torchpatch {
namespace {

/// Reads up to one byte over `limit`, so that a file that grew is noticed.
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

/// Returns the type of what a path leads to, or 0 where there is nothing. Not to be allowed to look, or to fail at it,
/// is no "nothing": whoever took it for that would go on with half of what is there.
mode_t type_behind(const std::string& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) == 0) return status.st_mode & S_IFMT;
  if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP || errno == ENAMETOOLONG) return 0;
  throw system_error("looking at " + quote(path));
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

}  // namespace

UniqueFd& UniqueFd::operator=(UniqueFd&& other) noexcept {
  if (this != &other) {
    reset();
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

UniqueFd::~UniqueFd() { reset(); }

void UniqueFd::reset() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

UniqueFd open_regular_file(const std::string& path, const std::string& what) {
  // O_NONBLOCK: opening a FIFO must not wait for a writer.
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
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

bool file_exists(const std::string& path) { return type_behind(path) != 0; }

bool is_directory(const std::string& path) { return type_behind(path) == S_IFDIR; }

bool is_regular_file(const std::string& path) { return type_behind(path) == S_IFREG; }

void write_all(int fd, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw system_error("writing " + quote(path));
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

void write_file_atomically(const std::string& path, std::string_view bytes) {
  TemporaryFile file(path);
  if (::fchmod(file.fd(), 0644) != 0) throw system_error("writing " + quote(path));
  write_all(file.fd(), bytes, path);
  file.rename_to(path);
}

void make_directories(const std::string& path) {
  if (path.empty() || is_directory(path)) return;
  const std::string parent = parent_path(path);
  if (parent != path) make_directories(parent);
  if (::mkdir(path.c_str(), 0777) != 0 && !(errno == EEXIST && is_directory(path))) {
    throw system_error("creating directory " + quote(path));
  }
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

}  // namespace torchpatch
