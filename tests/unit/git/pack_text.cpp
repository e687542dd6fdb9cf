// SPDX-License-Identifier: BSD-3-Clause
#include "unit/git/pack_text.h"

#include <zlib.h>

namespace torchpatch::test {

namespace {

/// Groups of seven bits, the lowest first.
std::string groups(std::uint64_t value) {
  std::string bytes(1, static_cast<char>(value & 0x7f));
  for (value >>= 7; value > 0; value >>= 7) {
    bytes.back() = static_cast<char>(bytes.back() | 0x80);
    bytes += static_cast<char>(value & 0x7f);
  }
  return bytes;
}

}  // namespace

ObjectId numbered_id(std::size_t number) {
  ObjectId id;
  id.bytes.fill(static_cast<unsigned char>(number));
  id.bytes[0] = static_cast<unsigned char>(number >> 8);
  return id;
}

std::string entry_header(unsigned type, std::uint64_t size) {
  const auto first = static_cast<char>(type << 4 | (size & 0x0f));
  if (size < 16) return std::string(1, first);
  return static_cast<char>(first | 0x80) + groups(size >> 4);
}

std::string deflate(std::string_view bytes) {
  uLongf size = compressBound(bytes.size());
  std::string out(size, '\0');
  compress(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  out.resize(size);
  return out;
}

std::string base_distance(std::uint64_t distance) {
  std::string bytes(1, static_cast<char>(distance & 0x7f));
  for (distance >>= 7; distance > 0; distance >>= 7) bytes.insert(0, 1, static_cast<char>(0x80 | (--distance & 0x7f)));
  return bytes;
}

std::string delta_size(std::uint64_t size) { return groups(size); }

ObjectId PackText::add(const std::string& entry) {
  places_.push_back({numbered_id(places_.size() + 1), bytes_.size(), 0});
  bytes_ += entry;
  return places_.back().id;
}

ObjectId PackText::add_delta(std::size_t base, std::string_view instructions) {
  const std::uint64_t distance = bytes_.size() - places_[base - 1].offset;
  return add(entry_header(kOffsetDelta, instructions.size()) + base_distance(distance) + deflate(instructions));
}

std::string PackText::write() const {
  const std::string checksum(20, 'c');
  std::string bytes = git::pack_header(static_cast<std::uint32_t>(places_.size()));
  bytes += bytes_.substr(bytes.size()) + checksum;
  write_file_atomically(directory_.path() + "/p.pack", bytes);
  write_file_atomically(directory_.path() + "/p.idx", git::pack_index_bytes(places_, checksum));
  return directory_.path() + "/p.idx";
}

}  // namespace torchpatch::test
