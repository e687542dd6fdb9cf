// SPDX-License-Identifier: BSD-3-Clause
#include "git/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "support/error.h"
#include "support/text.h"

namespace torchpatch::git {

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw Error(ErrorKind::source, concat("opening ", quote(path), ": ", reason));
}

struct stat status_of(const UniqueFd& file, const std::string& path) {
  struct stat status = {};
  if (fstat(file.get(), &status) != 0) fail(path, std::strerror(errno));
  return status;
}

}  // namespace

UniqueFd open_foreign_file(const std::string& path) {
  UniqueFd file(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file && (errno == ENOENT || errno == ENOTDIR)) return file;
  if (!file && errno == ELOOP) fail(path, "it is a symbolic link");
  if (!file) fail(path, std::strerror(errno));
  if (!S_ISREG(status_of(file, path).st_mode)) fail(path, "it is not a regular file");
  return file;
}

std::size_t file_size(const UniqueFd& file, const std::string& path) {
  const off_t size = status_of(file, path).st_size;
  if (!std::in_range<std::size_t>(size))
    fail(path, concat("its ", size, " bytes are more than a program of 32 bits reaches"));
  return static_cast<std::size_t>(size);
}

MappedFile::MappedFile(const UniqueFd& file, const std::string& path) {
  if (!file) fail(path, std::strerror(ENOENT));
  size_ = file_size(file, path);
  if (size_ == 0) fail(path, "it is empty");
  map(file, path, 0);
}

MappedFile::MappedFile(const UniqueFd& file, const std::string& path, std::uint64_t offset, std::size_t size)
    : size_(size) {
  map(file, path, offset);
}

void MappedFile::map(const UniqueFd& file, const std::string& path, std::uint64_t offset) {
  void* data = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.get(), static_cast<off_t>(offset));
  if (data == MAP_FAILED) fail(path, std::strerror(errno));
  data_ = data;
}

MappedFile::~MappedFile() {
  if (data_) munmap(data_, size_);
}

void MappedFile::release_pages() const { madvise(data_, size_, MADV_DONTNEED); }

}  // namespace torchpatch::git
