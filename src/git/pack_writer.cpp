// SPDX-License-Identifier: BSD-3-Clause
#include "git/pack_writer.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>

#include "git/pack.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::git {

namespace {

constexpr std::uint64_t kFirstLongOffset = 0x80000000u;
constexpr int kFastCompression = 1;

void append_u32(std::string& out, std::uint32_t value) {
  const std::uint32_t bytes = htobe32(value);
  out.append(reinterpret_cast<const char*>(&bytes), sizeof bytes);
}

void append_u64(std::string& out, std::uint64_t value) {
  append_u32(out, static_cast<std::uint32_t>(value >> 32));
  append_u32(out, static_cast<std::uint32_t>(value));
}

std::string entry_header(ObjectType type, std::uint64_t size) {
  std::string header(1, static_cast<char>(static_cast<unsigned>(type) << 4 | (size & 0x0f)));
  for (size >>= 4; size > 0; size >>= 7) {
    header.back() = static_cast<char>(header.back() | 0x80);
    header += static_cast<char>(size & 0x7f);
  }
  return header;
}

/// Packs and indexes end with the SHA-1 of the preceding bytes.
std::string checksum_of(std::string_view bytes) { return std::string(sha1(bytes).view()); }

bool is_intact(const std::string& path) {
  const UniqueFd file = open_foreign_file(path);
  if (!file) return false;
  const MappedFile mapped(file, path);
  const std::string_view bytes = mapped.bytes();
  if (bytes.size() < kPackChecksumBytes) return false;
  const std::size_t end = bytes.size() - kPackChecksumBytes;
  return checksum_of(bytes.substr(0, end)) == bytes.substr(end);
}

class PackReader {
 public:
  PackReader(std::string_view bytes, const std::string& name)
      : name_(name),
        all_(bytes),
        entries_(bytes.substr(0, bytes.size() - std::min(bytes.size(), kPackChecksumBytes))) {}

  std::vector<PackPlace> run(const std::function<void(const ObjectId&, const Object&)>& visit) {
    std::vector<PackPlace> places;
    std::unordered_set<ObjectId, DigestHash> seen;
    for (std::uint32_t left = read_header(); left > 0; --left) {
      const Object object = read_object();
      const ObjectId id = git_object_id(object_type_name(object.type), object.bytes);
      if (!seen.insert(id).second) fail(concat("it has the object ", id.hex(), " twice"));
      places.push_back({id, start_, entry_crc(entries_.substr(start_, position_ - start_))});
      visit(id, object);
    }
    check_end();
    return places;
  }

 private:
  [[noreturn]] void fail(const std::string& reason) const {
    throw Error(ErrorKind::source, concat("reading the pack ", quote(name_), ": ", reason));
  }

  std::uint32_t read_header() {
    if (entries_.size() < kPackHeaderBytes) fail("it is truncated");
    if (!entries_.starts_with(kPackMagic) || read_u32(entries_, 4) != 2) fail("it is not a pack of version 2");
    position_ = kPackHeaderBytes;
    return read_u32(entries_, 8);
  }

  Object read_object() {
    start_ = position_;
    // Decided by the first byte: the rest of the entry may be missing.
    const unsigned type = position_ < entries_.size() ? static_cast<unsigned char>(entries_[position_]) >> 4 & 7u : 0;
    if (type == kOffsetDelta || type == kIdDelta)
      throw entry_error(ErrorKind::source, name_, start_, "is a delta, which is not allowed here");
    const PackEntry entry = parse_pack_entry(entries_.substr(position_), start_, name_);
    Object object{*entry.type, {}};
    position_ += entry.header_size;
    position_ += inflater_.inflate(entry, entries_.substr(position_), name_, object.bytes);
    return object;
  }

  void check_end() const {
    if (position_ != entries_.size()) fail("bytes follow its last object");
    if (checksum_of(entries_) != all_.substr(entries_.size())) fail("its checksum is wrong");
  }

  const std::string& name_;
  std::string_view all_;
  std::string_view entries_;  ///< without the checksum
  std::size_t position_ = 0;
  std::size_t start_ = 0;  ///< of the current entry
  EntryInflater inflater_;
};

}  // namespace

std::string pack_header(std::uint32_t count) {
  std::string header(kPackMagic);
  append_u32(header, 2);
  append_u32(header, count);
  return header;
}

void append_zlib_stream(std::string& out, std::string_view bytes, int level) {
  const std::size_t start = out.size();
  uLongf size = compressBound(bytes.size());
  out.resize(start + size);
  const int code = compress2(reinterpret_cast<Bytef*>(out.data() + start), &size,
                             reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), level);
  if (code != Z_OK) throw Error(ErrorKind::internal, concat("zlib failed to compress: code ", code));
  out.resize(start + size);
}

std::string pack_entry(const Object& object, int level) {
  std::string entry = entry_header(object.type, object.bytes.size());
  append_zlib_stream(entry, object.bytes, level);
  return entry;
}

std::string pack_index_bytes(std::vector<PackPlace> places, std::string_view checksum) {
  std::ranges::sort(places, {}, &PackPlace::id);
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
  return index + checksum_of(index);
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
  if (written_.places.size() != count_)
    throw Error(ErrorKind::internal, concat("a pack of ", count_, " objects got ", written_.places.size()));
  written_.checksum = hasher_.finish().view();
  sink_(written_.checksum);
  written_.size += written_.checksum.size();
  return std::move(written_);
}

GrowingPack::GrowingPack(std::string directory) : directory_(std::move(directory)), path_(directory_ + "/tmp_pack") {
  file_ = UniqueFd(::open(path_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!file_) throw system_error("writing the pack " + quote(path_));
  append(pack_header(0));
}

GrowingPack::~GrowingPack() {
  if (file_) ::unlink(path_.c_str());
}

void GrowingPack::append(std::string_view bytes) {
  write_all(file_.get(), bytes, path_);
  size_ += bytes.size();
}

ObjectId GrowingPack::write(ObjectType type, std::string_view bytes) {
  const ObjectId id = git_object_id(object_type_name(type), bytes);
  if (bytes.size() > kMaxObjectBytes) throw object_too_large(id, bytes.size(), path_);
  if (!ids_.insert(id).second) return id;
  const std::string entry = pack_entry({type, std::string(bytes)}, kFastCompression);
  places_.push_back({id, size_, entry_crc(entry)});
  append(entry);
  return id;
}

/// Writes the header, as the count is now known, and the checksum over everything; returns the checksum.
std::string GrowingPack::write_ends() {
  const std::string header = pack_header(static_cast<std::uint32_t>(places_.size()));
  if (pwrite(file_.get(), header.data(), header.size(), 0) != static_cast<ssize_t>(header.size()))
    throw system_error("writing the pack " + quote(path_));
  const std::string checksum = checksum_of(MappedFile(file_, path_).bytes());
  append(checksum);
  return checksum;
}

void GrowingPack::finish() {
  if (places_.empty()) return;
  const std::string checksum = write_ends();
  const std::string stem = concat(directory_, "/pack-", to_hex(checksum));
  // Rename the pack first: git treats an index without a pack as damage, and a pack counts once its index exists.
  if (::rename(path_.c_str(), (stem + ".pack").c_str()) != 0) throw system_error("writing the pack " + quote(path_));
  file_.reset();
  write_file_atomically(stem + ".idx", pack_index_bytes(std::move(places_), checksum));
}

bool are_packs_intact(const std::string& directory) {
  constexpr std::string_view kPack = ".pack";
  std::size_t count = 0;
  try {
    for (const std::string& name : list_directory(directory)) {
      if (!ends_with(name, kPack)) continue;
      const std::string stem = concat(directory, "/", name.substr(0, name.size() - kPack.size()));
      if (!is_intact(stem + ".pack") || !is_intact(stem + ".idx")) return false;
      ++count;
    }
  } catch (const Error&) {
    return false;
  }
  return count > 0;
}

std::vector<PackPlace> read_pack(std::string_view bytes, const std::string& name,
                                 const std::function<void(const ObjectId&, const Object&)>& visit) {
  return PackReader(bytes, name).run(visit);
}

}  // namespace torchpatch::git
