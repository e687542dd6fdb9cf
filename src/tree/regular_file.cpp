// SPDX-License-Identifier: BSD-3-Clause
#include "tree/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "support/error.h"

namespace torchpatch::tree {

RegularFile::RegularFile(DirectoryCursor& directories, const std::string& path) {
  const std::string name(last_component(path));
  // O_NONBLOCK: what was a file when it was listed may be a FIFO by now.
  fd_ = UniqueFd(::openat(directories.enter_parent_of(path), name.c_str(),
                          O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!fd_) throw system_error("opening it");
  struct stat status = {};
  if (::fstat(fd_.get(), &status) != 0) throw system_error("reading it");
  if (!S_ISREG(status.st_mode)) throw Error(ErrorKind::environment, "it is no longer a regular file");
  size_ = static_cast<std::uint64_t>(status.st_size);
}

std::string_view RegularFile::read(std::string& buffer) {
  ssize_t count = -1;
  do {
    count = ::read(fd_.get(), buffer.data(), buffer.size());
  } while (count < 0 && errno == EINTR);
  if (count < 0) throw system_error("reading it");
  done_ += static_cast<std::uint64_t>(count);
  if (done_ > size_ || (count == 0 && done_ != size_)) {
    throw Error(ErrorKind::environment, "it changed while it was read");
  }
  return std::string_view(buffer).substr(0, static_cast<std::size_t>(count));
}

}  // namespace torchpatch::tree
