// SPDX-License-Identifier: BSD-3-Clause
/// MappedFile: a regular file of a foreign repository, mapped for reading.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "support/file.h"

namespace torchpatch::git {

/// Opens a regular file without following a link at its end and without blocking on a FIFO.
/// Returns no descriptor where nothing is there. Raises source where it cannot be opened or is not a regular file.
UniqueFd open_foreign_file(const std::string& path);

/// Returns the size in bytes of an open file.
std::size_t file_size(const UniqueFd& file, const std::string& path);

/// The bytes of a file as long as this lives.
class MappedFile {
 public:
  /// Raises source where the file is not there (no descriptor), is empty, or cannot be mapped; `path` is for messages.
  MappedFile(const UniqueFd& file, const std::string& path);
  /// A part of it: `offset` is a multiple of the page size, and `size` more than nothing.
  MappedFile(const UniqueFd& file, const std::string& path, std::uint64_t offset, std::size_t size);
  MappedFile(MappedFile&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  MappedFile& operator=(MappedFile&&) = delete;
  ~MappedFile();

  std::string_view bytes() const { return {static_cast<const char*>(data_), size_}; }
  /// Lets the kernel take the pages back; they come again when they are read.
  void release_pages() const;

 private:
  void map(const UniqueFd& file, const std::string& path, std::uint64_t offset);

  void* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace torchpatch::git
