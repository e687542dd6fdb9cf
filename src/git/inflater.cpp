// SPDX-License-Identifier: BSD-3-Clause
#include "git/inflater.h"

#include <algorithm>
#include <limits>

#include "support/error.h"
#include "support/text.h"

namespace torchpatch::git {

Inflater::Inflater(std::string_view compressed, const std::string& action)
    : action_(action), compressed_size_(std::min<std::size_t>(compressed.size(), std::numeric_limits<uInt>::max())) {
  stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data()));  // zlib only reads it
  stream_.avail_in = static_cast<uInt>(compressed_size_);
  if (inflateInit(&stream_) != Z_OK) fail("zlib cannot start");
}

Inflater::~Inflater() { inflateEnd(&stream_); }

void Inflater::fail(const std::string& reason) const { throw Error(ErrorKind::source, concat(action_, ": ", reason)); }

std::size_t Inflater::read(char* out, std::size_t size) {
  stream_.next_out = reinterpret_cast<Bytef*>(out);
  stream_.avail_out = static_cast<uInt>(size);
  while (stream_.avail_out > 0 && !is_at_end_) {
    const int code = inflate(&stream_, Z_NO_FLUSH);
    if (code == Z_STREAM_END) is_at_end_ = true;
    if (code == Z_BUF_ERROR) fail("it is truncated");
    if (code != Z_OK && code != Z_STREAM_END) fail("it is not a zlib stream");
  }
  stream_.next_out = nullptr;  // `out` may be gone when the next call comes
  return size - stream_.avail_out;
}

void Inflater::finish() {
  char byte = 0;
  if (read(&byte, 1) != 0) fail("it is longer than it says");
}

}  // namespace torchpatch::git
