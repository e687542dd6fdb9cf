// SPDX-License-Identifier: BSD-3-Clause
#include "git/whole_inflater.h"

#include <libdeflate.h>

#include <new>

#include "git/pack_layout.h"

namespace torchpatch::git {

namespace {

const char* problem_text(libdeflate_result result) {
  switch (result) {
    case LIBDEFLATE_SHORT_OUTPUT:
      return "is shorter than it says";
    case LIBDEFLATE_INSUFFICIENT_SPACE:
      return "is longer than it says";
    default:
      return "is not a whole zlib stream";
  }
}

}  // namespace

void WholeInflater::Free::operator()(libdeflate_decompressor* decompressor) const {
  libdeflate_free_decompressor(decompressor);
}

WholeInflater::WholeInflater() : decompressor_(libdeflate_alloc_decompressor()) {
  if (!decompressor_) throw std::bad_alloc();
}

WholeInflater::~WholeInflater() = default;

std::optional<std::size_t> WholeInflater::inflate(std::string_view compressed, std::size_t size, std::string& out) {
  if (size > compressed.size() * kMaxInflation) {  // before memory is taken for it
    problem_ = "says that it is larger than it can be";
    return std::nullopt;
  }
  out.resize(size);
  std::size_t taken = 0;
  const libdeflate_result result = libdeflate_zlib_decompress_ex(decompressor_.get(), compressed.data(),
                                                                 compressed.size(), out.data(), size, &taken, nullptr);
  if (result == LIBDEFLATE_SUCCESS) return taken;
  problem_ = problem_text(result);
  return std::nullopt;
}

}  // namespace torchpatch::git
