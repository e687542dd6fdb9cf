// SPDX-License-Identifier: BSD-3-Clause
#include "tree/directory_cursor.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "support/error.h"
#include "support/text.h"

namespace torchpatch::tree {

namespace {

/// True where `directory` is `ancestor` or lies below it.
bool is_within(std::string_view directory, std::string_view ancestor) {
  return starts_with(directory, ancestor) && (directory.size() == ancestor.size() || directory[ancestor.size()] == '/');
}

}  // namespace

DirectoryCursor::DirectoryCursor(std::string root)
    : root_(std::move(root)), root_fd_(::open(root_.c_str(), kOpenDirectory)) {
  if (!root_fd_) throw system_error("opening directory " + quote(root_));
}

int DirectoryCursor::enter(std::string_view directory) {
  while (!levels_.empty() && !is_within(directory, levels_.back().path)) levels_.pop_back();
  std::size_t begin = levels_.empty() ? 0 : levels_.back().path.size() + 1;
  while (begin < directory.size()) {
    const std::size_t end = std::min(directory.find('/', begin), directory.size());
    const std::string name(directory.substr(begin, end - begin));
    UniqueFd fd(::openat(current(), name.c_str(), kOpenDirectory | O_NOFOLLOW));
    if (!fd) throw system_error("opening directory " + quote(concat(root_, "/", directory.substr(0, end))));
    levels_.push_back({std::string(directory.substr(0, end)), std::move(fd)});
    begin = end + 1;
  }
  return current();
}

DirectoryCursor::Place DirectoryCursor::place_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {enter(""), path.c_str()};
  return {enter(std::string_view(path).substr(0, slash)), path.c_str() + slash + 1};
}

RegularFile::RegularFile(DirectoryCursor& directories, const std::string& path) {
  const auto [directory, name] = directories.place_of(path);
  // O_NONBLOCK: what was a file when it was listed may be a FIFO by now.
  fd_ = UniqueFd(::openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!fd_) throw system_error("opening it");
  struct stat status = {};
  if (::fstat(fd_.get(), &status) != 0) throw system_error("reading it");
  if (!S_ISREG(status.st_mode)) throw Error(ErrorKind::environment, "it is no longer a regular file");
  size_ = static_cast<std::uint64_t>(status.st_size);
  mode_ = status.st_mode & 07777;
}

std::string_view RegularFile::read(std::string& buffer) {
  ssize_t count = 0;
  while (!at_end_ && (count = ::read(fd_.get(), buffer.data(), buffer.size())) < 0)
    if (errno != EINTR) throw system_error("reading it");
  done_ += static_cast<std::uint64_t>(count);
  at_end_ = static_cast<std::size_t>(count) < buffer.size();  // of a regular file only its end is short
  if (done_ > size_ || (at_end_ && done_ != size_)) throw Error(ErrorKind::environment, "it changed while it was read");
  return std::string_view(buffer).substr(0, static_cast<std::size_t>(count));
}

}  // namespace torchpatch::tree
