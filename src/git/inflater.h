// SPDX-License-Identifier: BSD-3-Clause
/// A zlib stream in memory, read within bounds: what loose objects are.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace torchpatch::git {

class Inflater {
 public:
  /// `compressed` begins with the stream; `action` begins messages: "reading the loose object 'x'".
  Inflater(std::string_view compressed, const std::string& action);
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// Inflates until `size` bytes are written or the stream ends; returns how many were written. Raises source where it
  /// is truncated or no zlib stream.
  std::size_t read(char* out, std::size_t size);
  /// Checks that the stream ends here. Raises source.
  void finish();
  /// Returns how many bytes of `compressed` the stream has taken; after finish() all of it.
  std::size_t consumed() const { return compressed_size_ - stream_.avail_in; }

 private:
  [[noreturn]] void fail(const std::string& reason) const;

  std::string action_;
  std::size_t compressed_size_;
  z_stream stream_ = {};
  bool is_at_end_ = false;
};

}  // namespace torchpatch::git
