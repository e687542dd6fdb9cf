// SPDX-License-Identifier: BSD-3-Clause
/// A zlib stream in memory whose inflated size is known beforehand, as those in packs are: inflated in one step by
/// libdeflate, in half the time of zlib.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct libdeflate_decompressor;

namespace torchpatch::git {

class WholeInflater {
 public:
  WholeInflater();
  ~WholeInflater();
  WholeInflater(const WholeInflater&) = delete;
  WholeInflater& operator=(const WholeInflater&) = delete;

  /// Inflates the stream that `compressed` begins with into `out`, which then has exactly `size` bytes; the caller has
  /// checked `size` against its limit. Returns how many bytes the stream has; nothing where it is damaged, or longer or
  /// shorter: problem() says which.
  std::optional<std::size_t> inflate(std::string_view compressed, std::size_t size, std::string& out);
  /// Why the last inflate() returned nothing: "is shorter than it says".
  const char* problem() const { return problem_; }

 private:
  struct Free {
    void operator()(libdeflate_decompressor* decompressor) const;
  };
  std::unique_ptr<libdeflate_decompressor, Free> decompressor_;
  const char* problem_ = "";
};

}  // namespace torchpatch::git
