// SPDX-License-Identifier: BSD-3-Clause
#include "git/pack.h"

#include <set>

#include "support/catch.h"
#include "support/digest.h"
#include "unit/git/raises.h"

using namespace torchpatch;

namespace {

std::string big_endian(std::uint64_t value, int bytes) {
  std::string text;
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) text += static_cast<char>((value >> shift) & 0xff);
  return text;
}

/// An index as text that a test can spoil: three objects, the last beyond 2 GiB.
struct IndexText {
  std::string magic = "\377tOc";
  std::uint32_t version = 2;
  std::vector<std::string> names = {std::string(20, '\x01'), std::string(20, '\x01'), std::string(20, '\xfe')};
  std::vector<std::uint32_t> offsets = {12, 500, 0x80000000u};
  std::vector<std::uint64_t> long_offsets = {5000000000u};
  std::vector<std::uint32_t> fan_out;

  IndexText() {
    names[1][19] = '\x02';
    for (int i = 0; i < 256; ++i) fan_out.push_back(i < 1 ? 0 : i < 0xfe ? 2 : 3);
  }
  std::string bytes() const {
    std::string text = magic + big_endian(version, 4);
    for (const std::uint32_t value : fan_out) text += big_endian(value, 4);
    for (const std::string& name : names) text += name;
    text += std::string(4 * names.size(), 'c');
    for (const std::uint32_t value : offsets) text += big_endian(value, 4);
    for (const std::uint64_t value : long_offsets) text += big_endian(value, 8);
    return text + std::string(20, 'p') + std::string(20, 'i');
  }
};

constexpr std::uint64_t kPackSize = 6000000000u;

class IndexFile {
 public:
  explicit IndexFile(const std::string& bytes) { write_file_atomically(path(), bytes); }
  std::string path() const { return directory_.path() + "/x.idx"; }

  /// Why the index is refused, without the part that names it.
  std::string refusal() const {
    const std::string message =
        test::message_of(ErrorKind::source, [&] { git::PackIndex(path()).check_entries(kPackSize); });
    const std::string prefix = "reading the pack index '" + path() + "': ";
    return message.find(prefix) == 0 ? message.substr(prefix.size()) : message;
  }

 private:
  TempDir directory_;
};

ObjectId id(const std::string& name) { return ObjectId::from_bytes(name.data()); }

}  // namespace

TEST_CASE("PackIndex: finds objects, with offsets of 31 and of 64 bits", "[git]") {
  const IndexText text;
  const IndexFile file(text.bytes());
  const git::PackIndex index(file.path());
  index.check_entries(kPackSize);
  CHECK(index.object_count() == 3);
  CHECK(index.find(id(text.names[0])) == 12u);
  CHECK(index.find(id(text.names[1])) == 500u);
  CHECK(index.find(id(text.names[2])) == 5000000000u);
  CHECK_FALSE(index.find(id(std::string(20, '\0'))));
  CHECK_FALSE(index.find(id(std::string(20, '\x01').replace(0, 2, "\x01\x02"))));
  CHECK_FALSE(index.find(id(std::string(20, '\xff'))));
  CHECK(index.pack_checksum() == std::string(20, 'p'));
}

TEST_CASE("PackIndex: finds every name, spread evenly or chosen by somebody", "[git]") {
  std::set<std::string> names;
  for (int i = 0; i < 400; ++i) {
    const std::string spread(sha1(std::to_string(i)).view());
    names.insert(spread);
    names.insert(std::string(17, 'a') + spread.substr(0, 3));
    names.insert(std::string(1, 'a') + std::string(4, '\xff') + spread.substr(0, 15));
    names.insert(std::string(1, 'a') + std::string(4, '\0') + spread.substr(0, 15));
  }
  IndexText text;
  text.names.assign(names.begin(), names.end());
  text.offsets.clear();
  text.long_offsets.clear();
  text.fan_out.assign(256, 0);
  for (const std::string& name : text.names) {
    text.offsets.push_back(static_cast<std::uint32_t>(12 + text.offsets.size()));
    for (std::size_t first = static_cast<unsigned char>(name[0]); first < 256; ++first) ++text.fan_out[first];
  }
  const IndexFile file(text.bytes());
  const git::PackIndex index(file.path());
  index.check_entries(kPackSize);
  for (std::size_t i = 0; i < text.names.size(); ++i) {
    REQUIRE(index.find(id(text.names[i])) == text.offsets[i]);
    std::string absent = text.names[i];
    absent.back() = static_cast<char>(absent.back() ^ 1);
    REQUIRE(index.find(id(absent)).has_value() == names.contains(absent));
  }
}

TEST_CASE("PackIndex: refuses a wrong magic, version, fan-out or size", "[git]") {
  IndexText text;
  SECTION("version 1") {
    text.magic = "\0\0\0\1";
    text.magic.resize(4);
    CHECK(IndexFile(text.bytes()).refusal() == "it is not an index of version 2");
  }
  SECTION("version 3") {
    text.version = 3;
    CHECK(IndexFile(text.bytes()).refusal() == "its version is 3, not 2");
  }
  SECTION("fan-out of all ones, which crashes libgit2") {
    text.fan_out.assign(256, 0xffffffffu);
    CHECK(IndexFile(text.bytes()).refusal() == "its size does not fit 4294967295 objects");
  }
  SECTION("fan-out that falls") {
    text.fan_out[100] = 3;
    CHECK(IndexFile(text.bytes()).refusal() == "its fan-out table is not monotonic");
  }
  SECTION("fan-out that counts one more") {
    text.fan_out[255] = 4;
    CHECK(IndexFile(text.bytes()).refusal() == "its size does not fit 4 objects");
  }
  SECTION("more 64-bit offsets than objects") {
    text.long_offsets.resize(4);
    CHECK(IndexFile(text.bytes()).refusal() == "its size does not fit 3 objects");
  }
}

TEST_CASE("PackIndex: refuses entries that lookups or libgit2 would trip over", "[git]") {
  IndexText text;
  SECTION("names that are not sorted") {
    std::swap(text.names[0], text.names[1]);
    CHECK(IndexFile(text.bytes()).refusal() == "its object ids are not sorted");
  }
  SECTION("a name that is there twice") {
    text.names[1] = text.names[0];
    CHECK(IndexFile(text.bytes()).refusal() == "its object ids are not sorted");
  }
  SECTION("a name outside its fan-out") {
    text.names[2][0] = '\xfd';
    CHECK(IndexFile(text.bytes()).refusal() == "an object id is outside its fan-out bucket");
  }
  SECTION("an offset in the pack's header") {
    text.offsets[0] = 11;
    CHECK(IndexFile(text.bytes()).refusal() == "an offset lies outside the pack");
  }
  SECTION("an offset in the pack's trailer") {
    text.long_offsets[0] = kPackSize - 20;
    CHECK(IndexFile(text.bytes()).refusal() == "an offset lies outside the pack");
  }
  SECTION("an offset outside the table of 64-bit offsets") {
    text.offsets[2] = 0x80000001u;
    CHECK(IndexFile(text.bytes()).refusal() == "it has an offset outside its table of 64-bit offsets");
    const IndexFile file(text.bytes());
    CHECK(test::raised([&] { git::PackIndex(file.path()).find(id(text.names[2])); }).has_value());
  }
}

TEST_CASE("PackIndex: refuses truncation at every byte", "[git]") {
  const std::string good = IndexText().bytes();
  for (std::size_t size = 1; size < good.size(); size += size < 1000 ? 97 : 1) {
    INFO(size);
    CHECK(IndexFile(good.substr(0, size)).refusal().find("it") == 0);
  }
}
