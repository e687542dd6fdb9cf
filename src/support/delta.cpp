// SPDX-License-Identifier: BSD-3-Clause
#include "support/delta.h"

#include <cstdint>

namespace torchpatch {
namespace {

constexpr unsigned kCopy = 0x80;
constexpr std::size_t kCopySizeForZero = 0x10000;

std::optional<unsigned> take_byte(std::string_view& delta) {
  if (delta.empty()) return std::nullopt;
  const unsigned byte = static_cast<unsigned char>(delta[0]);
  delta.remove_prefix(1);
  return byte;
}

/// Reads a number in groups of seven bits, the lowest first.
std::optional<std::uint64_t> take_size(std::string_view& delta) {
  std::uint64_t size = 0;
  for (int shift = 0; shift < 63; shift += 7) {
    const std::optional<unsigned> byte = take_byte(delta);
    if (!byte) return std::nullopt;
    size |= static_cast<std::uint64_t>(*byte & 0x7F) << shift;
    if (!(*byte & 0x80)) return size;
  }
  return std::nullopt;
}

/// Reads a little-endian number of `count` bytes; only those with a set bit in `present` are stored.
std::optional<std::size_t> take_sparse(std::string_view& delta, unsigned present, int count) {
  std::size_t value = 0;
  for (int i = 0; i < count; ++i) {
    if (!(present >> i & 1)) continue;
    const std::optional<unsigned> byte = take_byte(delta);
    if (!byte) return std::nullopt;
    value |= static_cast<std::size_t>(*byte) << (8 * i);
  }
  return value;
}

/// Returns the bytes of the next instruction.
std::optional<std::string_view> take_piece(std::string_view& delta, std::string_view old_bytes) {
  const unsigned opcode = take_byte(delta).value_or(0);
  if (!(opcode & kCopy)) {
    if (opcode == 0 || opcode > delta.size()) return std::nullopt;
    const std::string_view inserted = delta.substr(0, opcode);
    delta.remove_prefix(opcode);
    return inserted;
  }
  const std::optional<std::size_t> offset = take_sparse(delta, opcode, 4);
  const std::optional<std::size_t> stated = take_sparse(delta, opcode >> 4 & 7, 3);
  if (!offset || !stated) return std::nullopt;
  const std::size_t size = *stated == 0 ? kCopySizeForZero : *stated;
  if (*offset > old_bytes.size() || size > old_bytes.size() - *offset) return std::nullopt;
  return old_bytes.substr(*offset, size);
}

}  // namespace

std::optional<std::string> apply_delta(std::string_view delta, std::string_view old_bytes, std::size_t max_bytes) {
  const std::optional<std::uint64_t> old_size = take_size(delta);
  const std::optional<std::uint64_t> new_size = take_size(delta);
  if (!old_size || !new_size || *old_size != old_bytes.size() || *new_size > max_bytes) return std::nullopt;
  std::string result;
  result.reserve(*new_size);
  while (!delta.empty()) {
    const std::optional<std::string_view> piece = take_piece(delta, old_bytes);
    if (!piece || piece->size() > *new_size - result.size()) return std::nullopt;
    result += *piece;
  }
  if (result.size() != *new_size) return std::nullopt;
  return result;
}

}  // namespace torchpatch
