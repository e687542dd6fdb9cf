// SPDX-License-Identifier: BSD-3-Clause
#include "git/object_store.h"

#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "support/catch.h"
#include "support/digest.h"
#include "unit/git/git_sandbox.h"
#include "unit/git/raises.h"

using namespace torchpatch;

namespace {

std::string compress_bytes(const std::string& bytes) {
  std::string out(compressBound(bytes.size()), '\0');
  uLongf size = out.size();
  REQUIRE(compress2(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                    bytes.size(), 6) == Z_OK);
  out.resize(size);
  return out;
}

/// The content of a loose object that declares `declared` bytes and holds `content`.
std::string loose(const std::string& declared, const std::string& content) {
  return compress_bytes("blob " + declared + '\0' + content);
}

std::string loose_refusal(const std::string& compressed, ErrorKind kind = ErrorKind::source) {
  return test::message_of(kind, [&] { git::inflate_loose_object(compressed, ObjectId{}, "x"); });
}

const std::string kPrefix = "reading the loose object 'x': ";

}  // namespace

TEST_CASE("read_loose_object: reads what git wrote", "[git]") {
  const test::GitSandbox sandbox;
  const std::string folder = sandbox.init("r") + "/.git/objects";
  sandbox.write("r/a", std::string(100000, 'a') + "b");
  const ObjectId commit = sandbox.commit("r");

  const auto blob = git::read_loose_object(folder, sandbox.id("r", "HEAD:a"));
  REQUIRE(blob);
  CHECK(blob->type == git::ObjectType::blob);
  CHECK(blob->bytes == std::string(100000, 'a') + "b");
  CHECK(git::has_loose_object(folder, commit));
  const auto object = git::read_loose_object(folder, commit);
  REQUIRE(object);
  CHECK(object->type == git::ObjectType::commit);
  CHECK(git_object_id("commit", object->bytes) == commit);

  CHECK_FALSE(git::read_loose_object(folder, ObjectId{}));
  CHECK_FALSE(git::has_loose_object(folder, ObjectId{}));
}

TEST_CASE("inflate_loose_object: reads objects of every size", "[git]") {
  for (const std::size_t size : {0u, 1u, 20u, 23u, 24u, 25u, 5000u}) {
    INFO(size);
    const std::string content(size, 'c');
    CHECK(git::inflate_loose_object(loose(std::to_string(size), content), ObjectId{}, "x").bytes == content);
  }
}

TEST_CASE("inflate_loose_object: refuses objects that lie about their size", "[git]") {
  CHECK(loose_refusal(loose("10", std::string(11, 'a'))) == kPrefix + "it is longer than its header declares");
  CHECK(loose_refusal(loose("10", std::string(100000, 'a'))) == kPrefix + "it is longer than its header declares");
  CHECK(loose_refusal(loose("100", std::string(100000, 'a'))) == kPrefix + "it is longer than its header declares");
  CHECK(loose_refusal(loose("10", std::string(9, 'a'))) == kPrefix + "it is shorter than its header declares");
  CHECK(loose_refusal(loose("5001", std::string(5000, 'a'))) == kPrefix + "it is shorter than its header declares");
  CHECK(loose_refusal(loose("200000000", "a")) == kPrefix + "its header declares an impossible size");
  CHECK(loose_refusal(loose("268435457", "a"), ErrorKind::unsafe) ==
        "reading object 0000000000000000000000000000000000000000 from 'x': it has 268435457 bytes, more than the "
        "268435456 that torchpatch reads");
}

TEST_CASE("inflate_loose_object: refuses malformed headers", "[git]") {
  for (const char* size : {"-1", "+1", "01", " 1", "1x", "99999999999999999999", ""}) {
    INFO(size);
    CHECK(loose_refusal(loose(size, "a")) == kPrefix + "its header is malformed");
  }
  CHECK(loose_refusal(compress_bytes(std::string("blub 1\0a", 8))) == kPrefix + "its header is malformed");
  CHECK(loose_refusal(compress_bytes(std::string("blob1\0a", 7))) == kPrefix + "it has no header");
  CHECK(loose_refusal(compress_bytes("blob 1")) == kPrefix + "it has no header");
  CHECK(loose_refusal(compress_bytes("")) == kPrefix + "it has no header");
}

TEST_CASE("inflate_loose_object: refuses truncation at every byte, and bytes that follow", "[git]") {
  std::string content;
  for (int i = 0; i < 300; ++i) content += std::to_string(i * i);
  const std::string good = loose(std::to_string(content.size()), content);
  REQUIRE(git::inflate_loose_object(good, ObjectId{}, "x").bytes == content);
  for (std::size_t size = 0; size < good.size(); ++size) {
    INFO(size);
    CHECK(loose_refusal(good.substr(0, size)).find(kPrefix) == 0);
  }
  CHECK(loose_refusal(good + "x") == kPrefix + "bytes follow its end");
  CHECK(loose_refusal("no zlib at all") == kPrefix + "it is not a zlib stream");
}

TEST_CASE("read_loose_object: does not block on a FIFO, follow a link or open a directory", "[git]") {
  const TempDir folder;
  const ObjectId id = git_blob_id("x");
  const std::string file = folder.path() + "/" + id.hex().substr(0, 2) + "/" + id.hex().substr(2);
  make_directories(parent_path(file));
  const auto message = [&] {
    return test::message_of(ErrorKind::source, [&] { git::read_loose_object(folder.path(), id); });
  };
  SECTION("a FIFO") {
    REQUIRE(mkfifo(file.c_str(), 0600) == 0);
    CHECK(message() == "opening '" + file + "': it is not a regular file");
  }
  SECTION("a link") {
    write_file_atomically(folder.path() + "/target", loose("1", "x"));
    REQUIRE(symlink("../target", file.c_str()) == 0);
    CHECK(message() == "opening '" + file + "': it is a symbolic link");
  }
  SECTION("a directory") {
    make_directories(file);
    CHECK(message() == "opening '" + file + "': it is not a regular file");
  }
  SECTION("an empty file") {
    write_file_atomically(file, "");
    CHECK(message() == "opening '" + file + "': it is empty");
    return;
  }
  CHECK_FALSE(git::has_loose_object(folder.path(), id));
}
