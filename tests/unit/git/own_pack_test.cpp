// SPDX-License-Identifier: BSD-3-Clause
#include "git/pack.h"
#include "git/pack_writer.h"
#include "support/catch.h"
#include "support/digest.h"
#include "support/file.h"
#include "support/library_pack.h"
#include "support/text.h"
#include "unit/git/git_sandbox.h"
#include "unit/git/raises.h"

using namespace torchpatch;
using namespace torchpatch::git;

namespace {

const std::vector<Object> kObjects = {{ObjectType::blob, ""},
                                      {ObjectType::blob, "a\n"},
                                      {ObjectType::tree, ""},
                                      {ObjectType::blob, std::string(100'000, 'x')},
                                      {ObjectType::commit, "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n"}};

ObjectId written_id(const Object& object) { return git_object_id(object_type_name(object.type), object.bytes); }

struct Written {
  std::string bytes;
  WrittenPack pack;
};

Written write(const std::vector<Object>& objects) {
  Written written;
  PackWriter writer(static_cast<std::uint32_t>(objects.size()), [&](std::string_view part) { written.bytes += part; });
  for (const Object& object : objects) writer.add(written_id(object), pack_entry(object));
  written.pack = writer.finish();
  return written;
}

std::vector<PackPlace> read(const std::string& bytes) {
  return read_pack(bytes, "p", [](const ObjectId&, const Object&) {});
}

/// The pack with another trailer, which fits its bytes.
std::string with_checksum(std::string bytes) {
  bytes.resize(bytes.size() - 20);
  return concat(bytes, sha1(bytes).view());
}

}  // namespace

TEST_CASE("PackWriter: what it writes is read again, by ourselves, by libgit2 and by git", "[git]") {
  const Written written = write(kObjects);
  std::vector<ObjectId> ids;
  const std::vector<PackPlace> places =
      read_pack(written.bytes, "p", [&](const ObjectId& id, const Object&) { ids.push_back(id); });
  REQUIRE(places.size() == kObjects.size());
  const TempDir directory;
  write_file_atomically(directory.path() + "/pack-a.pack", written.bytes);
  write_file_atomically(directory.path() + "/pack-a.idx", pack_index_bytes(written.pack.places, written.pack.checksum));
  Pack pack(directory.path() + "/pack-a.idx");
  const test::LibraryPack library(directory.path() + "/pack-a.idx");
  for (std::size_t i = 0; i < kObjects.size(); ++i) {
    CHECK(ids[i] == written_id(kObjects[i]));
    CHECK(places[i].offset == written.pack.places[i].offset);
    CHECK(places[i].crc == written.pack.places[i].crc);
    CHECK(pack.read(ids[i]).bytes == kObjects[i].bytes);
    CHECK(library.read(ids[i]).value().bytes == kObjects[i].bytes);
  }
  CHECK(written.pack.size == written.bytes.size());
  CHECK(write(kObjects).bytes == written.bytes);
  const std::string ours = read_file(directory.path() + "/pack-a.idx");
  test::GitSandbox sandbox;
  sandbox.git(".", {"index-pack", "-o", directory.path() + "/git.idx", directory.path() + "/pack-a.pack"});
  CHECK(read_file(directory.path() + "/git.idx") == ours);
}

TEST_CASE("pack_index_bytes: offsets of 2 GiB and more are in the second table", "[git]") {
  const Written written = write(kObjects);
  std::vector<PackPlace> places = written.pack.places;
  places.back().offset = 0x1'2345'6789;
  const TempDir directory;
  write_file_atomically(directory.path() + "/p.idx", pack_index_bytes(places, written.pack.checksum));
  const PackIndex index(directory.path() + "/p.idx");
  CHECK(index.find(places.back().id) == 0x1'2345'6789);
  CHECK(index.find(places.front().id) == 12);
}

TEST_CASE("read_pack: says what is wrong", "[git]") {
  const std::string good = write(kObjects).bytes;
  const auto fails = [](const std::string& bytes, const std::string& reason) {
    CHECK(test::message_of(ErrorKind::source, [&] { read(bytes); }) == "reading the pack 'p'" + reason);
  };
  fails("", ": it is truncated");
  fails(good.substr(0, 20), ": it is truncated");
  fails("PACK" + std::string(40, '\0'), ": it is not a pack of version 2");
  fails(with_checksum(good.substr(0, 11) + '\7' + good.substr(12)),
        concat(": the object at byte ", good.size() - 20, " is truncated"));
  fails(with_checksum(good.substr(0, 11) + '\4' + good.substr(12)), ": bytes follow its last object");
  fails(good.substr(0, good.size() - 1) + static_cast<char>(good.back() ^ 1), ": its checksum is wrong");
  fails(with_checksum(good.substr(0, 12) + '\x70' + good.substr(13)),
        ": the object at byte 12 is a delta, which is not allowed here");
  fails(with_checksum(good.substr(0, 12) + '\x50' + good.substr(13)), ": the object at byte 12 has an unknown type");
  fails(with_checksum(good.substr(0, 12) + '\x31' + good.substr(13)),
        ": the object at byte 12 is shorter than its header declares");
  fails(with_checksum(good.substr(0, 13) + '!' + good.substr(14)),
        ": the object at byte 12 is not a whole zlib stream");
  fails(write({kObjects[1], kObjects[1]}).bytes,
        concat(": it has the object ", written_id(kObjects[1]).hex(), " twice"));
  // A blob of 255 MiB, and one of more than 256 MiB, both in a few bytes.
  fails(with_checksum(good.substr(0, 12) + "\xb0\x80\x80\xfc\x07" + good.substr(13)),
        ": the object at byte 12 declares an impossible size");
  CHECK(test::message_of(ErrorKind::unsafe, [&] {
          read(with_checksum(good.substr(0, 12) + "\xb1\x80\x80\x80\x08" + good.substr(13)));
        }).find("more than the 268435456 that torchpatch reads") != std::string::npos);
}
