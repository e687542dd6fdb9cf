// SPDX-License-Identifier: BSD-3-Clause
#include "git/growing_pack.h"

#include <endian.h>
#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include "git/mapped_file.h"
#include "support/digest.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::git {
namespace {

constexpr int kCompression = 1;
constexpr std::size_t kChecksumBytes = 20;

std::string big_endian(std::uint32_t value) {
  const std::uint32_t bytes = htobe32(value);
  return {reinterpret_cast<const char*>(&bytes), sizeof bytes};
}

std::string sha1_bytes(std::string_view bytes) { return *from_hex(sha1_hex(bytes)); }

std::string pack_header(std::size_t objects) {
  return concat("PACK", big_endian(2), big_endian(static_cast<std::uint32_t>(objects)));
}

int type_number(ObjectType type) {
  switch (type) {
    case ObjectType::commit:
      return 1;
    case ObjectType::tree:
      return 2;
    case ObjectType::blob:
      return 3;
    case ObjectType::tag:
      return 4;
  }
  return 0;
}

/// Type and size: four bits of the size in the first byte, seven in each that follows.
std::string entry_header(ObjectType type, std::uint64_t size) {
  std::string header;
  unsigned byte = static_cast<unsigned>(type_number(type)) << 4 | static_cast<unsigned>(size & 15);
  for (size >>= 4; size > 0; size >>= 7) {
    header += static_cast<char>(byte | 0x80);
    byte = static_cast<unsigned>(size & 0x7F);
  }
  return header + static_cast<char>(byte);
}

std::string deflated(std::string_view bytes) {
  uLongf size = compressBound(bytes.size());
  std::string result(size, '\0');
  const int code = compress2(reinterpret_cast<Bytef*>(result.data()), &size,
                             reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), kCompression);
  if (code != Z_OK) throw Error(ErrorKind::environment, "compressing an object: zlib is out of memory");
  result.resize(size);
  return result;
}

}  // namespace

GrowingPack::GrowingPack(std::string directory) : directory_(std::move(directory)), path_(directory_ + "/new.pack") {
  file_ = UniqueFd(::open(path_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
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
  if (entries_.contains(id)) return id;
  if (bytes.size() > kMaxObjectBytes) throw object_too_large(id, bytes.size(), path_);
  const std::string entry = entry_header(type, bytes.size()) + deflated(bytes);
  if (size_ + entry.size() + kChecksumBytes > kMaxBytes) throw Error(ErrorKind::internal, "a pack grew over 2 GiB");
  const auto checksum = crc32_z(0, reinterpret_cast<const Bytef*>(entry.data()), entry.size());
  entries_[id] = {static_cast<std::uint32_t>(size_), static_cast<std::uint32_t>(checksum)};
  append(entry);
  return id;
}

/// The header's count is known only now, and the checksum covers it.
std::string GrowingPack::write_trailer() {
  const std::string header = pack_header(entries_.size());
  if (pwrite(file_.get(), header.data(), header.size(), 0) != static_cast<ssize_t>(header.size())) {
    throw system_error("writing the pack " + quote(path_));
  }
  std::string checksum = sha1_bytes(MappedFile(file_, path_).bytes());
  append(checksum);
  return checksum;
}

std::string GrowingPack::index_text(std::string_view pack_checksum) const {
  std::string fan_out, names, checksums, offsets;
  std::uint32_t count = 0;
  auto next = entries_.begin();
  for (int first_byte = 0; first_byte < 256; ++first_byte) {
    for (; next != entries_.end() && next->first.bytes[0] == first_byte; ++next) ++count;
    fan_out += big_endian(count);
  }
  for (const auto& [id, entry] : entries_) {
    names += id.view();
    checksums += big_endian(entry.checksum);
    offsets += big_endian(entry.offset);
  }
  std::string text = concat("\377tOc", big_endian(2), fan_out, names, checksums, offsets, pack_checksum);
  return text + sha1_bytes(text);
}

void GrowingPack::finish() {
  if (!entries_.empty()) {
    const std::string checksum = write_trailer();
    const std::string stem = concat(directory_, "/pack-", to_hex(checksum));
    write_file_atomically(stem + ".idx", index_text(checksum));
    if (::rename(path_.c_str(), (stem + ".pack").c_str()) != 0) throw system_error("writing the pack " + quote(path_));
    file_.reset();
  }
}

}  // namespace torchpatch::git
