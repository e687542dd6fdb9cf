// SPDX-License-Identifier: BSD-3-Clause
#include "git/pack_writer.h"

#include <zlib.h>

#include <algorithm>

#include "git/big_endian.h"
#include "git/pack_layout.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::git {

namespace {

constexpr std::uint64_t kFirstLongOffset = 0x80000000u;

std::string entry_header(ObjectType type, std::uint64_t size) {
  std::string header(1, static_cast<char>(pack_type(type) << 4 | (size & 0x0f)));
  for (size >>= 4; size > 0; size >>= 7) {
    header.back() = static_cast<char>(header.back() | 0x80);
    header += static_cast<char>(size & 0x7f);
  }
  return header;
}

}  // namespace

std::string pack_header(std::uint32_t count) {
  std::string header(kPackMagic);
  append_u32(header, 2);
  append_u32(header, count);
  return header;
}

std::string pack_entry(const Object& object, int level) {
  std::string entry = entry_header(object.type, object.bytes.size());
  const std::size_t start = entry.size();
  uLongf size = compressBound(object.bytes.size());
  entry.resize(start + size);
  const int code = compress2(reinterpret_cast<Bytef*>(entry.data() + start), &size,
                             reinterpret_cast<const Bytef*>(object.bytes.data()), object.bytes.size(), level);
  if (code != Z_OK) throw Error(ErrorKind::internal, concat("zlib failed to compress: code ", code));
  entry.resize(start + size);
  return entry;
}

std::uint32_t entry_crc(std::string_view entry) {
  return static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(entry.data()), entry.size()));
}

std::string pack_index_bytes(std::vector<PackPlace> places, std::string_view checksum) {
  std::sort(places.begin(), places.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  std::string index("\377tOc");
  append_u32(index, 2);
  auto next = places.begin();
  for (unsigned first_byte = 0; first_byte < 256; ++first_byte) {
    while (next != places.end() && next->id.bytes[0] == first_byte) ++next;
    append_u32(index, static_cast<std::uint32_t>(next - places.begin()));
  }
  for (const PackPlace& place : places) index += place.id.view();
  for (const PackPlace& place : places) append_u32(index, place.crc);
  std::string long_offsets;
  for (const PackPlace& place : places) {
    if (place.offset < kFirstLongOffset) {
      append_u32(index, static_cast<std::uint32_t>(place.offset));
      continue;
    }
    append_u32(index, static_cast<std::uint32_t>(kFirstLongOffset | long_offsets.size() / 8));
    append_u64(long_offsets, place.offset);
  }
  index += long_offsets;
  index += checksum;
  Sha1Hasher hasher;
  hasher.update(index);
  return index + hasher.finish();
}

PackWriter::PackWriter(std::uint32_t count, Sink sink) : count_(count), sink_(std::move(sink)) {
  put(pack_header(count));
}

void PackWriter::put(std::string_view bytes) {
  hasher_.update(bytes);
  sink_(bytes);
  written_.size += bytes.size();
}

void PackWriter::add(const ObjectId& id, std::string_view entry) {
  written_.places.push_back({id, written_.size, entry_crc(entry)});
  put(entry);
}

WrittenPack PackWriter::finish() {
  if (written_.places.size() != count_) {
    throw Error(ErrorKind::internal, concat("a pack of ", count_, " objects got ", written_.places.size()));
  }
  written_.checksum = hasher_.finish();
  sink_(written_.checksum);
  written_.size += written_.checksum.size();
  return std::move(written_);
}

}  // namespace torchpatch::git
