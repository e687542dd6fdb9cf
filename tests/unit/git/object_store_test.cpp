// SPDX-License-Identifier: BSD-3-Clause
#include "git/object_store.h"

#include <sys/stat.h>
#include <unistd.h>

#include <memory>

#include "support/catch.h"
#include "support/digest.h"
#include "support/text.h"
#include "support/worker_pool.h"
#include "unit/git/git_sandbox.h"
#include "unit/git/raises.h"

using namespace torchpatch;
using git::ObjectStore;

namespace {

/// A repository whose objects are all in one pack, with deltas: "r/a" in 20 versions.
struct PackedRepository {
  test::GitSandbox sandbox;
  std::string folder;
  ObjectId commit;
  ObjectId oldest;

  PackedRepository() {
    folder = sandbox.init("r") + "/.git/objects";
    std::string text;
    for (int i = 0; i < 200; ++i) text += concat("line ", i * i, "\n");
    for (int version = 0; version < 20; ++version) {
      sandbox.write("r/a", text + concat("version ", version, "\n"));
      sandbox.write("r/sub/b", concat("b", version));
      commit = sandbox.commit("r");
    }
    oldest = sandbox.id("r", "HEAD~19:a");
    sandbox.git("r", {"repack", "-adq", "--depth=50"});
    REQUIRE(is_directory(folder + "/pack"));
  }
  std::string pack() const { return test::find_file(folder + "/pack", ".pack"); }
  std::string index() const { return test::find_file(folder + "/pack", ".idx"); }
};

void flip(std::string& bytes, std::size_t at) { bytes[at] = static_cast<char>(bytes[at] ^ 0x55); }

}  // namespace

TEST_CASE("ObjectStore: reads packed objects, deltas included", "[git]") {
  const PackedRepository repository;
  ObjectStore store({repository.folder});
  for (int version = 0; version < 20; ++version) {
    INFO(version);
    const ObjectId id = repository.sandbox.id("r", concat("HEAD~", version, ":a"));
    const auto object = store.read(id);
    REQUIRE(object);
    CHECK(object->type == git::ObjectType::blob);
    CHECK(git_blob_id(object->bytes) == id);
    CHECK(store.size_of(id));
  }
  const auto commit = store.read(repository.commit);
  REQUIRE(commit);
  CHECK(commit->type == git::ObjectType::commit);
  CHECK(starts_with(commit->bytes, "tree "));
  CHECK(store.find(repository.commit) == 0);
  CHECK(store.find(ObjectId{}) == -1);
  CHECK_FALSE(store.read(ObjectId{}));
  CHECK(store.warnings().empty());
}

TEST_CASE("ObjectStore: searches the named folder first, then all in order", "[git]") {
  const test::GitSandbox sandbox;
  std::vector<std::string> folders;
  for (const std::string name : {"a", "b", "c"}) {
    folders.push_back(sandbox.init(name) + "/.git/objects");
    sandbox.write(name + "/own", name);
    if (name != "a") sandbox.write(name + "/shared", "shared");
    sandbox.commit(name);
    if (name == "b") sandbox.git(name, {"repack", "-adq"});
  }
  ObjectStore store(folders);
  CHECK(store.find(git_blob_id("a")) == 0);
  CHECK(store.find(git_blob_id("b"), 2) == 1);
  CHECK(store.find(git_blob_id("shared")) == 1);
  CHECK(store.find(git_blob_id("shared"), 2) == 2);
  CHECK(store.find(git_blob_id("shared"), 99) == 1);
  CHECK(store.read(git_blob_id("c"), 0)->bytes == "c");
  CHECK(store.size_of(git_blob_id("shared")) == 6);
  CHECK(store.size_of(git_blob_id("c")) == 1);
  CHECK_FALSE(store.size_of(ObjectId{}));
}

TEST_CASE("ObjectStore: folders without packs, empty and absent ones are fine", "[git]") {
  const test::GitSandbox sandbox;
  const std::string folder = sandbox.init("r") + "/.git/objects";
  sandbox.write("r/a", "a");
  sandbox.commit("r");
  ObjectStore store({sandbox.path() + "/nowhere", sandbox.path(), folder});
  CHECK(store.find(git_blob_id("a")) == 2);
  CHECK(store.read(git_blob_id("a"))->bytes == "a");
  CHECK(store.warnings().empty());
}

TEST_CASE("ObjectStore: reads from more packs than it keeps open", "[git]") {
  const test::GitSandbox sandbox;
  const std::string folder = sandbox.init("r") + "/.git/objects";
  for (int i = 0; i < 6; ++i) {
    sandbox.write("r/a", concat("pack ", i));
    sandbox.commit("r");
    sandbox.git("r", {"repack", "-dq"});
  }
  ObjectStore store({folder});
  for (int round = 0; round < 2; ++round)
    for (int i = 0; i < 6; ++i) CHECK(store.read(git_blob_id(concat("pack ", i)))->bytes == concat("pack ", i));
}

TEST_CASE("ObjectStore: a malformed index leaves its pack out with a warning", "[git]") {
  const PackedRepository repository;
  std::string index = read_file(repository.index());
  SECTION("fan-out of all ones") { index.replace(8, 1024, 1024, '\xff'); }
  SECTION("cut off") { index.resize(index.size() / 2); }
  test::overwrite_file(repository.index(), index);
  ObjectStore store({repository.folder});
  CHECK_FALSE(store.read(repository.oldest));
  CHECK(store.find(repository.oldest) == -1);
  REQUIRE(store.warnings().size() == 1);
  CHECK(store.warnings()[0].find("reading the pack index '" + repository.index() + "': ") == 0);
}

TEST_CASE("ObjectStore: an index whose offsets lead nowhere is left out", "[git]") {
  const PackedRepository repository;
  std::string index = read_file(repository.index());
  const std::size_t count = static_cast<unsigned char>(index[8 + 1023]);
  index.replace(index.size() - 40 - 4 * count, 4 * count, 4 * count, '\x7f');
  test::overwrite_file(repository.index(), index);
  ObjectStore store({repository.folder});
  const std::string message =
      concat("reading the pack index '", repository.index(), "': an offset lies outside the pack");
  CHECK(test::message_of(ErrorKind::source, [&] { store.read(repository.oldest); }) == message);
  CHECK(store.warnings() == std::vector<std::string>{message});
  CHECK(store.find(repository.oldest) == -1);
}

TEST_CASE("ObjectStore: an index whose names are not sorted is found out by a miss", "[git]") {
  const PackedRepository repository;
  std::string index = read_file(repository.index());
  const std::size_t names = 8 + 1024;
  for (std::size_t i = 0; i < 20; ++i) flip(index, names + 40 + i);
  test::overwrite_file(repository.index(), index);
  ObjectStore store({repository.folder}, GENERATE(git::Indexes::unchecked, git::Indexes::checked));
  CHECK(store.find(ObjectId{}) == -1);
  REQUIRE(store.warnings().size() == 1);
}

TEST_CASE("ObjectStore: a pack that does not fit its index is left out", "[git]") {
  const PackedRepository repository;
  std::string pack = read_file(repository.pack());
  std::string reason;
  SECTION("no pack at its start") {
    flip(pack, 0);
    reason = "it is not a pack";
  }
  SECTION("another count of objects") {
    flip(pack, 11);
    reason = "its index belongs to a different pack";
  }
  SECTION("cut off") {
    pack.resize(pack.size() - 7);
    reason = "its checksum is not the one in its index";
  }
  SECTION("nearly empty") {
    pack.resize(20);
    reason = "it is truncated";
  }
  test::overwrite_file(repository.pack(), pack);
  ObjectStore store({repository.folder});
  const std::string message = "reading the pack '" + repository.pack() + "': " + reason;
  CHECK(test::message_of(ErrorKind::source, [&] { store.read(repository.commit); }) == message);
  CHECK(store.warnings() == std::vector<std::string>{message});
}

TEST_CASE("ObjectStore: a pack that is not there, a FIFO or a link is left out", "[git]") {
  const PackedRepository repository;
  const std::string pack = repository.pack();
  std::string reason = "it does not exist";
  REQUIRE(rename(pack.c_str(), (pack + ".away").c_str()) == 0);
  SECTION("not there") {}
  SECTION("a FIFO") {
    REQUIRE(mkfifo(pack.c_str(), 0600) == 0);
    reason = "it is not a regular file";
  }
  SECTION("a link") {
    REQUIRE(symlink((pack + ".away").c_str(), pack.c_str()) == 0);
    reason = "it is a symbolic link";
  }
  ObjectStore store({repository.folder});
  CHECK(ends_with(test::message_of(ErrorKind::source, [&] { store.read(repository.commit); }), reason));
}

TEST_CASE("ObjectStore: damaged content is never returned", "[git]") {
  const PackedRepository repository;
  const std::string good = read_file(repository.pack());
  for (std::size_t at = 12; at + 20 < good.size(); at += 41) {
    INFO(at);
    std::string pack = good;
    flip(pack, at);
    test::overwrite_file(repository.pack(), pack);
    ObjectStore store({repository.folder});
    for (const ObjectId& id : {repository.commit, repository.oldest}) {
      const auto error = test::raised([&] {
        const auto object = store.read(id);
        REQUIRE(object);
        CHECK(git_object_id(git::object_type_name(object->type), object->bytes) == id);
      });
      if (error) CHECK(error->kind() == ErrorKind::source);
    }
  }
}

TEST_CASE("ObjectStore: a good copy in another place makes a damaged one a warning", "[git]") {
  const PackedRepository repository;
  repository.sandbox.git(".", {"clone", "--quiet", "--bare", "--no-local", "r", "copy"});
  const std::string copy = repository.sandbox.path() + "/copy/objects";
  std::string pack = read_file(repository.pack());
  pack.replace(12, pack.size() - 32, pack.size() - 32, '\0');
  test::overwrite_file(repository.pack(), pack);

  ObjectStore store({repository.folder, copy});
  const auto object = store.read(repository.oldest);
  REQUIRE(object);
  CHECK(git_blob_id(object->bytes) == repository.oldest);
  REQUIRE(store.warnings().size() == 1);
  CHECK(store.warnings()[0].find(concat("reading the pack '", repository.pack(), "': the object at byte ")) == 0);
}

TEST_CASE("ObjectStore: a loose object with the content of another is refused", "[git]") {
  const test::GitSandbox sandbox;
  const std::string folder = sandbox.init("r") + "/.git/objects";
  sandbox.write("r/a", "a");
  sandbox.commit("r");
  const auto path = [&](const ObjectId& id) { return folder + "/" + id.hex().substr(0, 2) + "/" + id.hex().substr(2); };
  const ObjectId wanted = git_blob_id("wanted");
  make_directories(parent_path(path(wanted)));
  write_file_atomically(path(wanted), read_file(path(git_blob_id("a"))));
  ObjectStore store({folder});
  CHECK(test::message_of(ErrorKind::source, [&] { store.read(wanted); }) ==
        concat("reading object ", wanted.hex(), " from '", folder, "': the object stored there has a different id"));
}

TEST_CASE("ObjectStore: alternates are not followed", "[git]") {
  const test::GitSandbox sandbox;
  const std::string lender = sandbox.init("lender") + "/.git/objects";
  sandbox.write("lender/a", "lent");
  sandbox.commit("lender");
  const std::string borrower = sandbox.init("borrower") + "/.git/objects";
  write_file_atomically(borrower + "/info/alternates", lender + "\n");
  CHECK(ObjectStore({borrower}).find(git_blob_id("lent")) == -1);
  CHECK(ObjectStore({borrower, lender}).find(git_blob_id("lent")) == 1);
}

TEST_CASE("ObjectStore: refuses an object over the limit", "[git]") {
  const test::GitSandbox sandbox;
  const std::string folder = sandbox.init("r") + "/.git/objects";
  sandbox.write("r/large", "");
  REQUIRE(truncate((sandbox.path() + "/r/large").c_str(), static_cast<off_t>(git::kMaxObjectBytes + 1)) == 0);
  // Over its threshold git streams a file into a pack.
  const ObjectId id = *ObjectId::parse(
      sandbox.git("r", {"-c", "core.bigFileThreshold=1k", "-c", "core.compression=1", "hash-object", "-w", "large"}));
  CHECK(test::message_of(ErrorKind::unsafe, [&] { ObjectStore({folder}).read(id); }) ==
        concat("reading the pack '", test::find_file(folder + "/pack", ".pack"),
               "': the object at byte 12 has 268435457 bytes, more than the 268435456 that torchpatch reads"));
}

TEST_CASE("ObjectStore: a worker that reads from a slow folder makes progress", "[git]") {
  const bool is_packed = GENERATE(true, false);
  const PackedRepository packed;
  const test::GitSandbox loose;
  const std::string folder = is_packed ? packed.folder : loose.init("l") + "/.git/objects";
  if (!is_packed) loose.write("l/a", "text");
  const ObjectId id = is_packed ? packed.commit : loose.commit("l");
  WorkerJob job;
  job.items = 1;
  job.limits.stall = std::chrono::milliseconds(500);
  job.start = [&]() -> WorkerTask {
    return [store = std::make_shared<ObjectStore>(std::vector{folder}), &id](std::size_t) {
      for (int i = 0; i < 10; ++i) {
        ::usleep(100'000);
        i % 2 == 0 ? void(store->find(id)) : void(store->read(id));
      }
      return std::string();
    };
  };
  std::size_t results = 0;
  job.on_result = [&](std::size_t, std::string_view) { ++results; };
  job.describe = [](std::size_t) { return std::string("reading"); };
  run_workers(job);
  CHECK(results == 1);
}
