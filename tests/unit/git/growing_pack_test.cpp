// SPDX-License-Identifier: BSD-3-Clause
#include "git/pack_writer.h"

#include "git/object_store.h"
#include "support/catch.h"
#include "support/digest.h"
#include "support/text.h"
#include "unit/git/git_sandbox.h"

using namespace torchpatch;

TEST_CASE("GrowingPack: git and the object store read what it wrote", "[git]") {
  const test::GitSandbox sandbox;
  sandbox.git(".", {"init", "--quiet", "--bare", "r.git"});
  const std::string folder = sandbox.path() + "/r.git/objects";
  std::vector<std::string> contents = {"", "a", std::string(15, 'x'), std::string(16, 'y'), std::string(100'000, 'z')};
  for (int i = 0; i < 600; ++i) contents.push_back(concat("text ", i * i));

  git::GrowingPack writer(folder + "/pack");
  for (const std::string& bytes : contents) CHECK(writer.write(git::ObjectType::blob, bytes) == git_blob_id(bytes));
  writer.write(git::ObjectType::blob, contents.back());  // once more, which adds nothing
  writer.finish();

  CHECK(list_directory(folder + "/pack").size() == 2);
  git::ObjectStore store({folder});
  for (const std::string& bytes : contents) {
    const auto object = store.read(git_blob_id(bytes));
    REQUIRE(object);
    CHECK(object->bytes == bytes);
  }
  CHECK(store.warnings().empty());
  sandbox.git("r.git", {"fsck", "--full", "--strict", "--no-dangling"});
  CHECK(sandbox.git("r.git", {"cat-file", "--batch-all-objects", "--batch-check=%(objecttype)"}).size() ==
        contents.size() * 5 - 1);
}

TEST_CASE("are_packs_intact: notices each byte that changed, and what is gone", "[git]") {
  const TempDir directory;
  CHECK(!git::are_packs_intact(directory.path()));
  git::GrowingPack pack(directory.path());
  pack.write(git::ObjectType::blob, "some text");
  pack.finish();
  CHECK(git::are_packs_intact(directory.path()));
  for (const char* ending : {".pack", ".idx"}) {
    const std::string path = test::find_file(directory.path(), ending);
    const std::string sound = read_file(path);
    for (std::size_t at = 0; at < sound.size(); at += 7) {
      std::string damaged = sound;
      damaged[at] = static_cast<char>(damaged[at] ^ 1);
      test::overwrite_file(path, damaged);
      CHECK(!git::are_packs_intact(directory.path()));
    }
    remove_tree(path);
    CHECK(!git::are_packs_intact(directory.path()));
    write_file_atomically(path, sound);
  }
  CHECK(git::are_packs_intact(directory.path()));
}

TEST_CASE("GrowingPack: there is no index without its pack at any time", "[git]") {
  const TempDir elsewhere;
  git::GrowingPack first(elsewhere.path());
  first.write(git::ObjectType::blob, "some text");
  first.finish();
  const std::string name = base_name(test::find_file(elsewhere.path(), ".pack"));

  const TempDir directory;
  make_directories(concat(directory.path(), "/", name));  // what the pack cannot replace
  git::GrowingPack second(directory.path());
  second.write(git::ObjectType::blob, "some text");
  CHECK_THROWS_AS(second.finish(), Error);
  CHECK(list_directory(directory.path()) == std::vector<std::string>{name, "tmp_pack"});
}

TEST_CASE("GrowingPack: leaves nothing behind that is not finished", "[git]") {
  const TempDir directory;
  { git::GrowingPack(directory.path()).write(git::ObjectType::blob, "a"); }
  CHECK(list_directory(directory.path()).empty());
  {
    git::GrowingPack empty(directory.path());
    empty.finish();
  }
  CHECK(list_directory(directory.path()).empty());
}
