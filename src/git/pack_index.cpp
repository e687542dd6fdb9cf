// SPDX-License-Identifier: BSD-3-Clause
#include "git/pack_index.h"

#include <algorithm>

#include "git/pack_entry.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::git {

namespace {

constexpr std::size_t kFanOutStart = 8;
constexpr std::size_t kNamesStart = kFanOutStart + std::size_t{256} * 4;
constexpr std::size_t kTrailerBytes = 2 * sizeof ObjectId::bytes;
/// A name, a CRC and an offset.
constexpr std::size_t kEntryBytes = sizeof ObjectId::bytes + 4 + 4;
constexpr std::uint32_t kLongOffsetFlag = 0x80000000u;
constexpr int kMostGuesses = 6;

}  // namespace

PackIndex::PackIndex(const std::string& path) : PackIndex(open_foreign_file(path), path) {}

PackIndex::PackIndex(const UniqueFd& file, const std::string& path) : path_(path), file_(file, path) {
  const std::string_view bytes = file_.bytes();
  if (bytes.size() < kNamesStart + kTrailerBytes) fail("it is truncated");
  if (bytes.substr(0, 4) != "\377tOc") fail("it is not an index of version 2");
  if (read_u32(bytes, 4) != 2) fail(concat("its version is ", read_u32(bytes, 4), ", not 2"));
  check_fan_out();
  check_size();
}

void PackIndex::fail(const std::string& reason) const {
  throw Error(ErrorKind::source, concat("reading the pack index ", quote(path_), ": ", reason));
}

void PackIndex::check_fan_out() {
  for (std::size_t i = 1; i < 256; ++i)
    if (fan_out(i) < fan_out(i - 1)) fail("its fan-out table is not monotonic");
  count_ = fan_out(255);
}

void PackIndex::check_size() {
  // In 64 bits: 2^32 entries are more than a size holds on 32.
  const std::uint64_t size = file_.bytes().size();
  const std::uint64_t without_long_offsets = kNamesStart + kEntryBytes * std::uint64_t{count_} + kTrailerBytes;
  if (size < without_long_offsets || (size - without_long_offsets) % 8 != 0 ||
      (size - without_long_offsets) / 8 > count_)
    fail(concat("its size does not fit ", count_, " objects"));
  long_offset_count_ = static_cast<std::size_t>((size - without_long_offsets) / 8);
}

std::uint32_t PackIndex::fan_out(std::size_t first_byte) const {
  return read_u32(file_.bytes(), kFanOutStart + 4 * first_byte);
}

std::string_view PackIndex::name(std::uint32_t position) const {
  return file_.bytes().substr(kNamesStart + sizeof ObjectId::bytes * position, sizeof ObjectId::bytes);
}

std::size_t PackIndex::offsets_start() const {
  return kNamesStart + (sizeof ObjectId::bytes + 4) * std::size_t{count_};
}

std::uint64_t PackIndex::offset(std::uint32_t position) const {
  const std::size_t offsets = offsets_start();
  const std::uint32_t value = read_u32(file_.bytes(), offsets + 4 * std::size_t{position});
  if ((value & kLongOffsetFlag) == 0) return value;
  const std::size_t row = value & ~kLongOffsetFlag;
  if (row >= long_offset_count_) fail("it has an offset outside its table of 64-bit offsets");
  return read_u64(file_.bytes(), offsets + 4 * std::size_t{count_} + 8 * row);
}

std::optional<std::uint64_t> PackIndex::find(const ObjectId& id) const {
  const std::size_t first_byte = id.bytes[0];
  std::uint32_t low = first_byte == 0 ? 0 : fan_out(first_byte - 1);
  std::uint32_t high = fan_out(first_byte);
  // Ids are spread evenly: where the next four bytes would stand is near, and each look elsewhere reads a page. Names
  // that somebody chose are found by halves, after a few looks.
  const std::uint64_t wanted = read_u32(id.view(), 1);
  std::uint64_t low_start = 0;
  std::uint64_t high_start = std::uint64_t{1} << 32;
  for (int looks = 0; low < high; ++looks) {
    const bool is_even = looks < kMostGuesses && low_start <= wanted && wanted < high_start;
    const std::uint64_t guess =
        is_even ? (wanted - low_start) * (high - low) / (high_start - low_start) : (high - low) / 2;
    const auto middle = low + static_cast<std::uint32_t>(guess);
    const int order = id.view().compare(name(middle));
    if (order == 0) return offset(middle);
    if (order < 0) {
      high = middle;
      high_start = read_u32(name(middle), 1);
    } else {
      low = middle + 1;
      low_start = read_u32(name(middle), 1);
    }
  }
  return std::nullopt;
}

std::vector<ObjectId> PackIndex::ids() const {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> places;
  places.reserve(count_);
  for (std::uint32_t position = 0; position < count_; ++position) places.emplace_back(offset(position), position);
  std::sort(places.begin(), places.end());
  std::vector<ObjectId> ids;
  ids.reserve(count_);
  for (const auto& [place, position] : places) ids.push_back(ObjectId::from_bytes(name(position).data()));
  return ids;
}

void PackIndex::check_names() const {
  const std::string_view names = file_.bytes().substr(kNamesStart);
  std::uint32_t position = 0;
  std::uint64_t previous = 0;
  for (std::size_t first_byte = 0; first_byte < 256; ++first_byte) {
    for (const std::uint32_t end = fan_out(first_byte); position < end; ++position) {
      // Eight bytes tell nearly all names apart.
      const std::uint64_t start = read_u64(names, sizeof ObjectId::bytes * position);
      if (start >> 56 != first_byte) fail("a name is outside its fan-out");
      const bool is_sorted = start > previous || position == 0 || name(position - 1) < name(position);
      if (!is_sorted) fail("its names are not sorted");
      previous = start;
    }
  }
}

void PackIndex::check_offsets(std::uint64_t pack_size) const {
  const std::string_view offsets = file_.bytes().substr(offsets_start());
  for (std::uint32_t position = 0; position < count_; ++position) {
    std::uint64_t start = read_u32(offsets, 4 * std::size_t{position});
    if ((start & kLongOffsetFlag) != 0) start = offset(position);
    if (start < kPackHeaderBytes || start >= pack_size - sizeof ObjectId::bytes)
      fail("an offset lies outside the pack");
  }
}

void PackIndex::check_entries(std::uint64_t pack_size) const {
  check_names();
  check_offsets(pack_size);
  file_.release_pages();
}

std::string_view PackIndex::pack_checksum() const {
  const std::string_view bytes = file_.bytes();
  return bytes.substr(bytes.size() - kTrailerBytes, sizeof ObjectId::bytes);
}

}  // namespace torchpatch::git
