// SPDX-License-Identifier: BSD-3-Clause
#include "git/pack_reader.h"

#include <unordered_set>

#include "git/big_endian.h"
#include "git/pack_entry.h"
#include "git/pack_layout.h"
#include "git/whole_inflater.h"
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
  std::uint32_t read_header();
  Object read_object();
  void check_end() const;

  const std::string& name_;
  std::string_view all_;
  std::string_view entries_;  ///< without the checksum
  std::size_t position_ = 0;
  std::size_t start_ = 0;  ///< of the entry that is read
  WholeInflater inflater_;
};

std::uint32_t Reader::read_header() {
  if (entries_.size() < kPackHeaderBytes) fail("it is truncated");
  if (entries_.substr(0, 4) != kPackMagic || read_u32(entries_, 4) != 2) fail("it is not a pack of version 2");
  position_ = kPackHeaderBytes;
  return read_u32(entries_, 8);
}

Object Reader::read_object() {
  start_ = position_;
  // By its first byte already: what stands behind it need not be there.
  const unsigned type = position_ < entries_.size() ? static_cast<unsigned char>(entries_[position_]) >> 4 & 7u : 0;
  if (type == kOffsetDelta || type == kIdDelta) {
    throw entry_error(ErrorKind::source, name_, start_, "is a delta, which has no place here");
  }
  const PackEntry entry = parse_pack_entry(entries_.substr(position_), start_, name_);
  Object object{*entry.type, {}};
  const auto taken = inflater_.inflate(entries_.substr(position_ + entry.header_size), entry.size, object.bytes);
  if (!taken) throw entry_error(ErrorKind::source, name_, start_, inflater_.problem());
  position_ += entry.header_size + *taken;
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
