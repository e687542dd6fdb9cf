// SPDX-License-Identifier: BSD-3-Clause
#include "git/pack_entry.h"

#include "git/pack_layout.h"
#include "support/text.h"

namespace torchpatch::git {

namespace {

/// A size or a distance has at most nine groups of seven bits; more are over every limit.
constexpr int kMostGroups = 9;

class Parser {
 public:
  Parser(std::string_view bytes, std::uint64_t start, const std::string& name)
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
      entry.type = type_of(number);
    }
    entry.header_size = position_;
    return entry;
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw entry_error(ErrorKind::source, name_, start_, problem);
  }
  unsigned take_byte();
  std::uint64_t take_size(unsigned first);
  std::uint64_t take_base();
  ObjectId take_id();
  ObjectType type_of(unsigned number) const;

  std::string_view bytes_;
  std::uint64_t start_;
  const std::string& name_;
  std::size_t position_ = 0;
};

unsigned Parser::take_byte() {
  if (position_ == bytes_.size()) fail("is truncated");
  return static_cast<unsigned char>(bytes_[position_++]);
}

/// Four bits, then groups of seven, the lowest first.
std::uint64_t Parser::take_size(unsigned first) {
  std::uint64_t size = first & 0x0f;
  unsigned byte = first;
  for (int group = 0; (byte & 0x80) != 0; ++group) {
    if (group == kMostGroups - 1) fail("says that it is larger than any object");
    byte = take_byte();
    size |= std::uint64_t{byte & 0x7f} << (4 + 7 * group);
  }
  if (size <= kMaxObjectBytes) return size;
  throw entry_error(ErrorKind::unsafe, name_, start_,
                    concat("has ", size, " bytes, more than the ", kMaxObjectBytes, " that torchpatch reads"));
}

/// Groups of seven bits, the highest first; each but the last counts from one. A base stands in front of its deltas, so
/// they cannot go in circles.
std::uint64_t Parser::take_base() {
  unsigned byte = take_byte();
  std::uint64_t distance = byte & 0x7f;
  for (int group = 1; (byte & 0x80) != 0; ++group) {
    if (group == kMostGroups) fail("is a delta whose base is too far away");
    byte = take_byte();
    distance = (distance + 1) << 7 | (byte & 0x7f);
  }
  if (distance == 0 || distance > start_ || start_ - distance < kPackHeaderBytes) {
    fail("is a delta whose base lies outside the pack");
  }
  return start_ - distance;
}

ObjectId Parser::take_id() {
  constexpr std::size_t kIdBytes = 20;
  if (bytes_.size() - position_ < kIdBytes) fail("is truncated");
  const ObjectId id = ObjectId::from_bytes(bytes_.data() + position_);
  position_ += kIdBytes;
  return id;
}

ObjectType Parser::type_of(unsigned number) const {
  for (const ObjectType type : {ObjectType::commit, ObjectType::tree, ObjectType::blob, ObjectType::tag}) {
    if (pack_type(type) == number) return type;
  }
  fail("has no type that git knows");
}

}  // namespace

Error entry_error(ErrorKind kind, const std::string& name, std::uint64_t start, const std::string& problem) {
  return Error(kind, concat("reading the pack ", quote(name), ": the object at byte ", start, " ", problem));
}

PackEntry parse_pack_entry(std::string_view bytes, std::uint64_t start, const std::string& name) {
  return Parser(bytes, start, name).parse();
}

}  // namespace torchpatch::git
