// SPDX-License-Identifier: BSD-3-Clause
#include "git/pack.h"

#include <libdeflate.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

#include "support/text.h"

namespace torchpatch::git {

namespace {

/// Limit of seven-bit groups in a size or distance; more exceed every limit.
constexpr int kMostGroups = 9;

class EntryParser {
 public:
  EntryParser(std::string_view bytes, std::uint64_t start, const std::string& name)
      : bytes_(bytes), start_(start), name_(name) {}

  PackEntry parse() {
    PackEntry entry;
    entry.start = start_;
    const unsigned first = take_byte();
    entry.size = take_size(first);
    const unsigned number = first >> 4 & 7;
    if (number == kOffsetDelta) {
      entry.base = take_base();
    } else if (number == kIdDelta) {
      entry.base_id = take_id();
    } else {
      entry.type = object_type_of(number);
      if (!entry.type) fail("has an unknown type");
    }
    entry.header_size = position_;
    return entry;
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw entry_error(ErrorKind::source, name_, start_, problem);
  }

  unsigned take_byte() {
    if (position_ == bytes_.size()) fail("is truncated");
    return static_cast<unsigned char>(bytes_[position_++]);
  }

  /// Parses four bits, then seven-bit groups, lowest first.
  std::uint64_t take_size(unsigned first) {
    std::uint64_t size = first & 0x0f;
    unsigned byte = first;
    for (int group = 0; (byte & 0x80) != 0; ++group) {
      if (group == kMostGroups - 1) fail("declares an impossible size");
      byte = take_byte();
      size |= std::uint64_t{byte & 0x7f} << (4 + 7 * group);
    }
    if (size <= kMaxObjectBytes) return size;
    throw entry_error(ErrorKind::unsafe, name_, start_,
                      concat("has ", size, " bytes, more than the ", kMaxObjectBytes, " that torchpatch reads"));
  }

  /// Parses seven-bit groups, highest first, each but the last offset by one. A base precedes its deltas, so these
  /// cannot form a cycle.
  std::uint64_t take_base() {
    unsigned byte = take_byte();
    std::uint64_t distance = byte & 0x7f;
    for (int group = 1; (byte & 0x80) != 0; ++group) {
      if (group == kMostGroups) fail("is a delta whose base is too far away");
      byte = take_byte();
      distance = (distance + 1) << 7 | (byte & 0x7f);
    }
    if (distance == 0 || distance > start_ || start_ - distance < kPackHeaderBytes)
      fail("is a delta whose base lies outside the pack");
    return start_ - distance;
  }

  ObjectId take_id() {
    if (bytes_.size() - position_ < sizeof ObjectId::bytes) fail("is truncated");
    const ObjectId id = ObjectId::from_bytes(bytes_.data() + position_);
    position_ += sizeof ObjectId::bytes;
    return id;
  }

  std::string_view bytes_;
  std::uint64_t start_;
  const std::string& name_;
  std::size_t position_ = 0;
};

const char* problem_text(libdeflate_result result) {
  if (result == LIBDEFLATE_SHORT_OUTPUT) return "is shorter than its header declares";
  return result == LIBDEFLATE_INSUFFICIENT_SPACE ? "is longer than its header declares" : "is not a whole zlib stream";
}

}  // namespace

Error entry_error(ErrorKind kind, const std::string& name, std::uint64_t start, const std::string& problem) {
  return Error(kind, concat("reading the pack ", quote(name), ": the object at byte ", start, " ", problem));
}

PackEntry parse_pack_entry(std::string_view bytes, std::uint64_t start, const std::string& name) {
  return EntryParser(bytes, start, name).parse();
}

EntryInflater::EntryInflater() : decompressor_(libdeflate_alloc_decompressor()) {
  if (!decompressor_) throw std::bad_alloc();
}

EntryInflater::~EntryInflater() { libdeflate_free_decompressor(decompressor_); }

std::size_t EntryInflater::inflate(const PackEntry& entry, std::string_view compressed, const std::string& name,
                                   std::string& out) {
  if (entry.size > compressed.size() * kMaxInflation)  // before allocating memory for it
    throw entry_error(ErrorKind::source, name, entry.start, "declares an impossible size");
  out.resize(entry.size);
  std::size_t taken = 0;
  const libdeflate_result result = libdeflate_zlib_decompress_ex(decompressor_, compressed.data(), compressed.size(),
                                                                 out.data(), out.size(), &taken, nullptr);
  if (result != LIBDEFLATE_SUCCESS) throw entry_error(ErrorKind::source, name, entry.start, problem_text(result));
  return taken;
}

StreamInflater::StreamInflater(std::string_view compressed, std::string action)
    : stream_(std::make_unique<z_stream>()),
      action_(std::move(action)),
      size_(std::min<std::size_t>(compressed.size(), std::numeric_limits<uInt>::max())) {
  stream_->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data()));  // zlib only reads it
  stream_->avail_in = static_cast<uInt>(size_);
  if (inflateInit(stream_.get()) != Z_OK) throw std::bad_alloc();
}

StreamInflater::~StreamInflater() { inflateEnd(stream_.get()); }

void StreamInflater::require(bool holds, const char* problem) const {
  if (!holds) throw Error(ErrorKind::source, action_ + problem);
}

std::size_t StreamInflater::read(char* out, std::size_t size) {
  stream_->next_out = reinterpret_cast<Bytef*>(out);
  stream_->avail_out = static_cast<uInt>(size);
  while (stream_->avail_out > 0 && !is_at_end_) {
    const int code = inflate(stream_.get(), Z_NO_FLUSH);
    if (code == Z_STREAM_END) is_at_end_ = true;
    require(code != Z_BUF_ERROR, "it is truncated");
    require(code == Z_OK || code == Z_STREAM_END, "it is not a zlib stream");
  }
  stream_->next_out = nullptr;  // `out` may no longer exist at the next call
  return size - stream_->avail_out;
}

std::size_t StreamInflater::consumed() const { return size_ - stream_->avail_in; }

std::uint32_t entry_crc(std::string_view entry) { return libdeflate_crc32(0, entry.data(), entry.size()); }

}  // namespace torchpatch::git
