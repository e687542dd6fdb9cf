// SPDX-License-Identifier: BSD-3-Clause
#include "git/pack_file.h"

#include <unistd.h>

#include <algorithm>

#include "git/big_endian.h"
#include "git/pack_layout.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::git {

namespace {

/// Mapped at a time: all of most packs. A few packs are open, and a worker has 4 GiB of addresses.
constexpr std::uint64_t kWindowBytes = 1u << 30;
/// Windows begin at multiples of this, which every page size divides.
constexpr std::uint64_t kWindowAlignment = 1u << 20;

}  // namespace

PackFile::PackFile(const std::string& path, std::uint32_t object_count, std::string_view checksum)
    : path_(path), file_(open_foreign_file(path)) {
  if (!file_) fail("it is not there");
  size_ = file_size(file_, path);
  if (size_ < kPackHeaderBytes + kPackChecksumBytes) fail("it is truncated");
  const std::string header = read_at(0, kPackHeaderBytes);
  const std::uint32_t version = read_u32(header, 4);
  if (header.substr(0, 4) != kPackMagic || (version != 2 && version != 3)) fail("it is not a pack");
  if (read_u32(header, 8) != object_count) fail("its index is that of another pack");
  if (read_at(size_ - kPackChecksumBytes, kPackChecksumBytes) != checksum) {
    fail("its checksum is not the one in its index");
  }
}

void PackFile::fail(const std::string& reason) const {
  throw Error(ErrorKind::source, concat("reading the pack ", quote(path_), ": ", reason));
}

std::string PackFile::read_at(std::uint64_t offset, std::size_t size) const {
  std::string bytes(size, '\0');
  if (pread(file_.get(), bytes.data(), size, static_cast<off_t>(offset)) != static_cast<ssize_t>(size)) {
    fail("it is truncated");
  }
  return bytes;
}

std::string_view PackFile::bytes_at(std::uint64_t start, std::size_t size) {
  const std::uint64_t all = size_ - kPackChecksumBytes;
  if (start >= all) fail("an offset lies outside the pack");
  const std::uint64_t end = start + std::min<std::uint64_t>(size, all - start);
  const bool is_mapped = window_ && start >= window_start_ && end <= window_start_ + window_->bytes().size();
  if (!is_mapped) map(start, end);
  return window_->bytes().substr(start - window_start_, end - start);
}

void PackFile::map(std::uint64_t start, std::uint64_t end) {
  window_.reset();
  window_start_ = size_ <= kWindowBytes ? 0 : start / kWindowAlignment * kWindowAlignment;
  const std::uint64_t window_end = std::min(size_, std::max(end, window_start_ + kWindowBytes));
  window_.emplace(file_, path_, window_start_, window_end - window_start_);
}

}  // namespace torchpatch::git
