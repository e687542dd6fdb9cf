// SPDX-License-Identifier: BSD-3-Clause
#include "git/pack_reader.h"

#include <unordered_set>

#include "git/big_endian.h"
#include "git/inflater.h"
#include "git/pack_layout.h"
#include "support/digest.h"
#include "support/text.h"

namespace torchpatch::git {

namespace {

class Reader {
 public:
  Reader(std::string_view bytes, const std::string& name)
      : name_(name),
        all_(bytes),
        entries_(bytes.substr(0, bytes.size() - std::min(bytes.size(), kPackChecksumBytes))) {}

  std::vector<PackPlace> run(const std::function<void(const ObjectId&, const Object&)>& visit);

 private:
  [[noreturn]] void fail(const std::string& reason) const {
    throw Error(ErrorKind::source, concat("reading the pack ", quote(name_), ": ", reason));
  }
  [[noreturn]] void fail_entry(const std::string& reason) const {
    fail(concat("the object at byte ", start_, " ", reason));
  }
  std::uint32_t read_header();
  Object read_object();
  ObjectType read_type(unsigned char first);
  std::uint64_t read_size(unsigned char first);
  unsigned char take_byte();
  void check_end() const;

  const std::string& name_;
  std::string_view all_;
  std::string_view entries_;  ///< without the checksum
  std::size_t position_ = 0;
  std::size_t start_ = 0;  ///< of the entry that is read
};

std::uint32_t Reader::read_header() {
  if (entries_.size() < kPackHeaderBytes) fail("it is truncated");
  if (entries_.substr(0, 4) != kPackMagic || read_u32(entries_, 4) != 2) fail("it is not a pack of version 2");
  position_ = kPackHeaderBytes;
  return read_u32(entries_, 8);
}

unsigned char Reader::take_byte() {
  if (position_ == entries_.size()) fail("it is truncated");
  return static_cast<unsigned char>(entries_[position_++]);
}

ObjectType Reader::read_type(unsigned char first) {
  const unsigned number = first >> 4 & 7;
  for (const ObjectType type : {ObjectType::commit, ObjectType::tree, ObjectType::blob, ObjectType::tag}) {
    if (pack_type(type) == number) return type;
  }
  fail_entry(number >= 6 ? "is a delta, which has no place here" : "has no type that git knows");
}

std::uint64_t Reader::read_size(unsigned char first) {
  std::uint64_t size = first & 0x0f;
  unsigned char byte = first;
  for (unsigned shift = 4; (byte & 0x80) != 0; shift += 7) {
    if (shift > 32) fail_entry("says that it is larger than any object");
    byte = take_byte();
    size |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
  }
  return size;
}

Object Reader::read_object() {
  start_ = position_;
  const unsigned char first = take_byte();
  Object object{read_type(first), {}};
  const std::uint64_t size = read_size(first);
  const std::string_view rest = entries_.substr(position_);
  if (size > kMaxObjectBytes) {
    throw Error(ErrorKind::unsafe, concat("reading the pack ", quote(name_), ": the object at byte ", start_, " has ",
                                          size, " bytes, more than the ", kMaxObjectBytes, " that torchpatch reads"));
  }
  if (size > rest.size() * kMaxInflation) fail_entry("says that it is larger than it can be");
  object.bytes.resize(size);
  Inflater inflater(rest, concat("reading the pack ", quote(name_), ", the object at byte ", start_));
  if (inflater.read(object.bytes.data(), size) != size) fail_entry("is shorter than it says");
  inflater.finish();
  position_ += inflater.consumed();
  return object;
}

void Reader::check_end() const {
  if (position_ != entries_.size()) fail("bytes follow its last object");
  Sha1Hasher hasher;
  hasher.update(entries_);
  if (hasher.finish() != all_.substr(entries_.size())) fail("its checksum is not that of its bytes");
}

std::vector<PackPlace> Reader::run(const std::function<void(const ObjectId&, const Object&)>& visit) {
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

}  // namespace

std::vector<PackPlace> read_pack(std::string_view bytes, const std::string& name,
                                 const std::function<void(const ObjectId&, const Object&)>& visit) {
  return Reader(bytes, name).run(visit);
}

}  // namespace torchpatch::git
