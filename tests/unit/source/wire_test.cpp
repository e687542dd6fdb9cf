// SPDX-License-Identifier: BSD-3-Clause
#include "source/wire.h"

#include <catch2/catch.hpp>

#include "source/repository_tree.h"
#include "support/digest.h"
#include "unit/git/raises.h"

using namespace torchpatch;
using namespace torchpatch::source;

namespace {

RepositoryTree sample_tree() {
  RepositoryTree tree;
  tree.store = 3;
  tree.raw_commit = std::string("tree\0x", 6);
  tree.gitmodules = "[submodule]";
  tree.has_gitmodules = true;
  tree.entries = {{"a/b", FileMode::executable, git_blob_id("a")}, {"c", FileMode::gitlink, git_blob_id("c")}};
  tree.warnings = {"w1", "w2"};
  tree.damage = {"d"};
  return tree;
}

}  // namespace

TEST_CASE("decode_repository_tree: gives back what was encoded", "[source]") {
  const RepositoryTree tree = decode_repository_tree(encode_repository_tree(sample_tree()));
  CHECK(tree.missing.empty());
  CHECK(tree.store == 3);
  CHECK(tree.raw_commit == std::string("tree\0x", 6));
  CHECK(tree.gitmodules == "[submodule]");
  CHECK(tree.has_gitmodules);
  REQUIRE(tree.entries.size() == 2);
  CHECK(tree.entries[0].path == "a/b");
  CHECK(tree.entries[0].mode == FileMode::executable);
  CHECK(tree.entries[0].id == git_blob_id("a"));
  CHECK(tree.entries[1].mode == FileMode::gitlink);
  CHECK(tree.warnings == std::vector<std::string>{"w1", "w2"});
  CHECK(tree.damage == std::vector<std::string>{"d"});

  RepositoryTree missing;
  missing.missing = "gone";
  CHECK(decode_repository_tree(encode_repository_tree(missing)).missing == "gone");
  CHECK(decode_repository_tree(encode_repository_tree(missing)).store == -1);
}

TEST_CASE("decode_repository_tree: refuses truncation at every byte", "[source]") {
  const std::string bytes = encode_repository_tree(sample_tree());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    INFO(size);
    CHECK(test::message_of(ErrorKind::source, [&] { decode_repository_tree(bytes.substr(0, size)); }) ==
          "a worker process sent a damaged result");
  }
}

TEST_CASE("WireReader: a length of all ones is no reason to allocate", "[source]") {
  WireReader reader(std::string_view("\xff\xff\xff\xff\xff\xff\xff\xffx", 9));
  CHECK(test::raised([&] { reader.text(); }).has_value());
}
