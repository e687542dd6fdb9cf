// SPDX-License-Identifier: BSD-3-Clause
#include "support/digest.h"

#include <string>

#include "support/catch.h"

using namespace torchpatch;

TEST_CASE("sha256: FIPS 180-2's vectors") {
  CHECK(sha256("").hex() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256("abc").hex() == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_CASE("git_object_id: is what git gives") {
  CHECK(git_blob_id("").hex() == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
  CHECK(git_blob_id("hello\n").hex() == "ce013625030ba8dba906f756967f9e9ca394464a");
  CHECK(git_object_id("tree", "").hex() == "4b825dc642cb6eb9a060e54bf8d69288fbee4904");
}

TEST_CASE("FileHasher: gives both digests of bytes that come in parts, whatever came before") {
  const std::string bytes(200'000, 'x');
  FileHasher hasher;
  hasher.begin(10);
  hasher.update("of those");
  hasher.begin(bytes.size());
  for (std::size_t i = 0; i < bytes.size(); i += 7000) hasher.update(std::string_view(bytes).substr(i, 7000));
  const FileHasher::Result result = hasher.finish();
  CHECK(result.blob == git_blob_id(bytes));
  CHECK(result.sha256 == sha256(bytes));
}

TEST_CASE("Digest: parses exactly its own text") {
  const std::string hex = "ce013625030ba8dba906f756967f9e9ca394464a";
  const auto id = ObjectId::parse(hex);
  REQUIRE(id);
  CHECK(id->hex() == hex);
  CHECK(ObjectId::from_bytes(id->bytes.data()) == *id);
  CHECK_FALSE(id->is_null());
  CHECK(ObjectId().is_null());
  CHECK_FALSE(ObjectId::parse(hex.substr(1)));
  CHECK_FALSE(ObjectId::parse(hex + "0"));
  CHECK_FALSE(ObjectId::parse("CE013625030ba8dba906f756967f9e9ca394464a"));
  CHECK_FALSE(ObjectId::parse(" e013625030ba8dba906f756967f9e9ca394464a"));
  CHECK(*ObjectId::parse(std::string(40, '1')) < *ObjectId::parse(std::string(40, '2')));
}
