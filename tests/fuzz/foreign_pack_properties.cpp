// SPDX-License-Identifier: BSD-3-Clause
#include <zlib.h>

#include <algorithm>

#include "fuzz/properties.h"
#include "fuzz/require.h"
#include "git/pack.h"
#include "git/pack_writer.h"
#include "support/file.h"
#include "support/library_pack.h"
#include "support/text.h"

namespace torchpatch::fuzz {
namespace {

/// More are of no use: each costs a file of entries.
constexpr std::size_t kMostObjects = 32;
constexpr std::size_t kHeaderBytes = 12;

ObjectId numbered_id(std::size_t number) {
  ObjectId id;
  id.bytes.fill(static_cast<unsigned char>(number));
  return id;
}

std::string deflate_bytes(std::string_view bytes) {
  uLongf size = compressBound(bytes.size());
  std::string out(size, '\0');
  compress(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  out.resize(size);
  return out;
}

/// A pack as it comes into being.
struct PackText {
  std::vector<git::PackPlace> places;
  std::string entries;

  void begin_entry() { places.push_back({numbered_id(places.size() + 1), kHeaderBytes + entries.size(), 0}); }
};

std::string_view take(std::string_view& rest, std::string_view count) {
  const std::string_view taken = rest.substr(0, parse_decimal(count).value_or(0));
  rest.remove_prefix(taken.size());
  return taken;
}

PackText read_input(std::string_view input) {
  const std::size_t end = std::min(input.find('\n'), input.size());
  std::string_view rest = input.substr(std::min(end + 1, input.size()));
  PackText text;
  for (const std::string& word : split(std::string(input.substr(0, end)), ' ')) {
    if (text.places.size() == kMostObjects) break;
    text.begin_entry();
    const std::size_t plus = word.find('+');
    text.entries += take(rest, std::string_view(word).substr(0, plus));
    if (plus != std::string::npos) text.entries += deflate_bytes(take(rest, std::string_view(word).substr(plus + 1)));
  }
  text.entries += rest;
  return text;
}

std::string write_pack(const std::string& directory, const PackText& text) {
  const std::string checksum(20, 'c');
  const std::string header = git::pack_header(static_cast<std::uint32_t>(text.places.size()));
  write_file_atomically(directory + "/p.pack", concat(header, text.entries, checksum));
  write_file_atomically(directory + "/p.idx", git::pack_index_bytes(text.places, checksum));
  return directory + "/p.idx";
}

/// libgit2's reader; asked only for what ours accepts, since it follows circles for ever.
class Oracle {
 public:
  explicit Oracle(const std::string& index) : index_(index) {}
  void compare(const git::Object& object, const ObjectId& id) {
    if (!library_) library_.emplace(index_);
    const auto other = library_->read(id);
    require(other.has_value(), "what we unpack libgit2 unpacks");
    require(other->type == object.type && other->bytes == object.bytes, "we unpack what libgit2 unpacks");
  }

 private:
  const std::string& index_;
  std::optional<test::LibraryPack> library_;
};

}  // namespace

void check_foreign_pack(std::string_view input) {
  static const TempDir directory;
  const PackText text = read_input(input);
  const std::string index = write_pack(directory.path(), text);
  git::Pack pack(index);
  Oracle oracle(index);
  for (const git::PackPlace& place : text.places) {
    const auto object = attempt([&] { return pack.read(place.id); });
    if (object) oracle.compare(*object, place.id);
  }
  git::Pack other(index);
  for (auto place = text.places.rbegin(); place != text.places.rend(); ++place) {
    const auto object = attempt([&] { return other.read(place->id); });
    const auto again = attempt([&] { return pack.read(place->id); });
    require(object.has_value() == again.has_value() && (!object || object->bytes == again->bytes),
            "what was read before makes no difference");
  }
}

}  // namespace torchpatch::fuzz
