// SPDX-License-Identifier: BSD-3-Clause
#include "git/pack.h"

#include <set>
#include "support/catch.h"

#include "support/digest.h"
#include "support/library_pack.h"
#include "support/text.h"
#include "unit/git/git_sandbox.h"
#include "unit/git/pack_text.h"
#include "unit/git/raises.h"

using namespace torchpatch;
using git::Object;
using git::Pack;
using test::delta_size;
using test::LibraryPack;
using test::PackText;

namespace {

/// Text that does not compress to nothing, of `lines` lines.
std::string text_of(int lines) {
  std::string text;
  for (int i = 0; i < lines; ++i) text += concat("line ", i * 7919 % 10007, " of ", lines, "\n");
  return text;
}

/// A repository with objects of all types, empty and large ones, and files of many versions.
struct Repository {
  test::GitSandbox sandbox;
  std::string packs;

  Repository() {
    packs = sandbox.init("r") + "/.git/objects/pack";
    std::string text = text_of(300);
    for (int version = 0; version < 40; ++version) {
      text.insert(static_cast<std::size_t>(version * 61), concat("version ", version, "\n"));
      sandbox.write("r/text", text);
      sandbox.write("r/sub/b", concat("b", version));
      if (version == 0) {
        sandbox.write("r/empty", "");
        sandbox.write("r/large", std::string(3'000'000, 'x') + text_of(100'000));
      }
      sandbox.commit("r");
    }
    sandbox.git("r", {"-c", "tag.gpgSign=false", "tag", "-a", "-m", "of this", "v1"});
  }
  std::string index() const { return test::find_file(packs, ".idx"); }
};

std::optional<Object> attempt(Pack& pack, const ObjectId& id) {
  std::optional<Object> object;
  test::raised([&] { object = pack.read(id); });
  return object;
}

bool is_same(const std::optional<Object>& a, const std::optional<Object>& b) {
  return a.has_value() == b.has_value() && (!a || (a->type == b->type && a->bytes == b->bytes));
}

ObjectId id_of(const Object& object) { return git_object_id(git::object_type_name(object.type), object.bytes); }

/// What reading this entry raises, without the part that names the pack.
std::string refusal(const PackText& text, const ObjectId& id, ErrorKind kind = ErrorKind::source) {
  const std::string index = text.write();
  Pack pack(index);
  const std::string message = test::message_of(kind, [&] { pack.read(id); });
  const std::string start = concat("reading the pack '", index.substr(0, index.size() - 4), ".pack': ");
  return starts_with(message, start) ? message.substr(start.size()) : message;
}

/// A delta that makes "abab" of "ab".
std::string twice() { return delta_size(2) + delta_size(4) + "\x90\x02\x90\x02"; }

}  // namespace

TEST_CASE("Pack: unpacks what git packs, as libgit2 does", "[git]") {
  const Repository repository;
  const std::vector<std::pair<std::vector<std::string>, std::string>> ways = {
      {{"-c", "pack.threads=1", "repack", "-adfq", "--window=20", "--depth=100"}, "chain length = 2"},
      {{"-c", "pack.threads=1", "-c", "repack.useDeltaBaseOffset=false", "repack", "-adfq", "--window=20"},
       "chain length = 2"},
      {{"-c", "pack.threads=1", "-c", "pack.compression=0", "repack", "-adfq", "--depth=3"}, "chain length = 3"},
      {{"-c", "core.bigFileThreshold=1k", "repack", "-adfq", "--depth=0"}, "non delta: "}};
  for (const auto& [command, chain] : ways) {
    repository.sandbox.git("r", command);
    const std::string index = repository.index();
    INFO(join(command, " "));
    CHECK(repository.sandbox.git(".", {"verify-pack", "-v", index}).find(chain) != std::string::npos);

    Pack pack(index);
    const LibraryPack library(index);
    std::set<git::ObjectType> types;
    std::set<std::size_t> sizes;
    std::uint64_t largest = 0;
    for (const ObjectId& id : pack.ids()) {
      const Object object = pack.read(id);
      CHECK(id_of(object) == id);
      CHECK(is_same(object, library.read(id)));
      if (chain == "non delta: ") CHECK(pack.size_of(*pack.find(id)) == object.bytes.size());
      largest = std::max(largest, pack.size_of(*pack.find(id)));
      types.insert(object.type);
      sizes.insert(object.bytes.size());
    }
    CHECK(types.size() == 4);
    CHECK(*sizes.begin() == 0);
    CHECK(*sizes.rbegin() > 4'000'000);
    CHECK(largest == *sizes.rbegin());
  }
}

TEST_CASE("Pack: refuses what is damaged where libgit2 does", "[git]") {
  const test::GitSandbox sandbox;
  const std::string packs = sandbox.init("r") + "/.git/objects/pack";
  std::string text = text_of(60);
  for (int version = 0; version < 5; ++version)
    sandbox.write("r/a", text += concat(version, "\n")), sandbox.commit("r");
  sandbox.git("r", {"repack", "-adfq"});
  const std::string index = test::find_file(packs, ".idx");
  const std::string path = test::find_file(packs, ".pack");
  const std::string good = read_file(path);
  const std::vector<ObjectId> ids = Pack(index).ids();
  std::size_t refused = 0;
  for (std::size_t at = 12; at + 20 < good.size(); ++at) {
    std::string bytes = good;
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << at % 8));
    test::overwrite_file(path, bytes);
    Pack pack(index);
    const LibraryPack library(index);
    for (const ObjectId& id : ids) {
      const auto object = attempt(pack, id);
      INFO(at << ' ' << id.hex());
      REQUIRE(is_same(object, library.read(id)));
      if (!object) ++refused;
    }
  }
  CHECK(refused > 1000);
}

TEST_CASE("Pack: deltas by place and by id, one on the other", "[git]") {
  PackText text;
  const ObjectId first = text.add_delta(test::numbered_id(2), twice());
  text.add_blob("ab");
  const ObjectId last = text.add_delta(1, delta_size(4) + delta_size(3) + "\x90\x01\x02!!");
  const std::string index = text.write();
  Pack pack(index);
  CHECK(pack.read(last).bytes == "a!!");
  CHECK(pack.read(first).bytes == "abab");
  const LibraryPack library(index);
  CHECK(is_same(pack.read(last), library.read(last)));
}

TEST_CASE("Pack: says what is wrong with an entry", "[git]") {
  using test::deflate;
  using test::entry_header;
  PackText text;
  text.add_blob("ab");
  const std::uint64_t at = text.size();
  const std::string name = concat("the object at byte ", at, " ");
  const auto with = [&](const std::string& entry, ErrorKind kind = ErrorKind::source) {
    PackText spoilt;
    spoilt.add_blob("ab");
    const ObjectId id = spoilt.add(entry);
    const std::string message = refusal(spoilt, id, kind);
    return starts_with(message, name) ? message.substr(name.size()) : message;
  };
  CHECK(with("\xb0") == "is truncated");
  CHECK(with("\x7c" + std::string(19, '\1')) == "is truncated");
  for (const char type : {'\x00', '\x50'}) CHECK(with(std::string(1, type) + deflate("")) == "has an unknown type");
  CHECK(with("\xbf" + std::string(8, '\xff') + "\x01") == "declares an impossible size");
  CHECK(with(entry_header(test::kBlob, git::kMaxObjectBytes + 1) + deflate("ab"), ErrorKind::unsafe) ==
        "has 268435457 bytes, more than the 268435456 that torchpatch reads");
  CHECK(with(entry_header(test::kBlob, git::kMaxObjectBytes) + deflate("ab")) == "declares an impossible size");
  CHECK(with(entry_header(test::kBlob, 3) + deflate("ab")) == "is shorter than its header declares");
  CHECK(with(entry_header(test::kBlob, 1) + deflate("ab")) == "is longer than its header declares");
  CHECK(with(entry_header(test::kBlob, 0) + deflate("ab")) == "is longer than its header declares");
  CHECK(with(entry_header(test::kBlob, 2) + deflate("ab").substr(0, 6)) == "is not a whole zlib stream");
  CHECK(with(entry_header(test::kBlob, 2) + "no zlib stream") == "is not a whole zlib stream");
  const auto delta = [&](const std::string& base, const std::string& instructions) {
    return entry_header(test::kOffsetDelta, instructions.size()) + base + deflate(instructions);
  };
  CHECK(with(delta(std::string(9, '\xff') + "\x01", twice())) == "is a delta whose base is too far away");
  for (const std::uint64_t distance : {std::uint64_t{0}, at - 11, at, at + 1, at + 1000}) {
    INFO(distance);
    CHECK(with(delta(test::base_distance(distance), twice())) == "is a delta whose base lies outside the pack");
  }
  const std::string near = test::base_distance(at - 12);
  CHECK(with(delta(near, delta_size(3) + delta_size(1) + "\x90\x01")) == "is a delta that does not match its base");
  CHECK(with(delta(near, delta_size(2) + delta_size(git::kMaxObjectBytes + 1) + "\x90\x01")) ==
        "is a delta that does not match its base");
  CHECK(with(entry_header(test::kIdDelta, twice().size()) + std::string(20, '\x7f') + deflate(twice())) ==
        "is a delta of 7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f, which is not in this pack");
  CHECK(refusal(text, ObjectId{}) == "it has no object 0000000000000000000000000000000000000000");
}

TEST_CASE("Pack: deltas without end are refused", "[git]") {
  PackText circle;
  circle.add_delta(test::numbered_id(2), twice());
  const ObjectId id = circle.add_delta(1, twice());
  CHECK(ends_with(refusal(circle, id), " is a chain of more than 10000 deltas"));

  PackText chain;
  ObjectId last = chain.add_blob("ab");
  const std::string copy = delta_size(2) + delta_size(2) + "\x90\x02";
  for (std::size_t i = 1; i <= 10'000; ++i) last = chain.add_delta(i, copy);
  const std::string index = chain.write();
  CHECK(Pack(index).read(last).bytes == "ab");
  last = chain.add_delta(10'001, copy);
  CHECK(ends_with(refusal(chain, last), " is a chain of more than 10000 deltas"));
}

TEST_CASE("Pack: a chain of deltas makes a bounded number of bytes", "[git]") {
  constexpr std::size_t kPiece = 64 << 10;
  const std::string all(git::kMaxObjectBytes / kPiece, '\x80');  // copies of the first 64 KiB
  PackText text;
  text.add_blob(std::string(kPiece, 'x'));
  ObjectId last = text.add_delta(1, delta_size(kPiece) + delta_size(git::kMaxObjectBytes) + all);
  for (std::size_t i = 2; i <= 18; ++i)
    last = text.add_delta(i, delta_size(git::kMaxObjectBytes) + delta_size(git::kMaxObjectBytes) + all);
  CHECK(ends_with(refusal(text, last, ErrorKind::unsafe),
                  " consists of deltas that expand to more than 4294967296 bytes"));
}
