// SPDX-License-Identifier: BSD-3-Clause
#include "source/wire.h"

#include "source/closure/repository_tree.h"
#include "support/catch.h"
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

TEST_CASE("decode_repository_tree: refuses values that do not exist", "[source]") {
  const std::string fine = encode_repository_tree(sample_tree());
  const auto is_refused = [](RepositoryTree tree) {
    return test::message_of(ErrorKind::source, [&] { decode_repository_tree(encode_repository_tree(tree)); }) ==
           "a worker process sent a damaged result";
  };
  RepositoryTree tree = sample_tree();
  tree.entries[0].mode = static_cast<FileMode>(0104755);
  CHECK(is_refused(tree));
  tree.entries[0].mode = FileMode::directory;
  CHECK(is_refused(tree));
  tree = sample_tree();
  tree.entries[0].path = "../a";
  CHECK(is_refused(tree));
  tree = sample_tree();
  tree.store = -3;
  CHECK(is_refused(tree));
  CHECK(test::raised([&] { decode_repository_tree(fine + "x"); }).has_value());
}

TEST_CASE("WireReader: takes numbers for what they stand for, and no others", "[source]") {
  enum class Colour { red, green };
  const auto reader_of = [](std::uint64_t value) {
    WireWriter writer;
    writer.number(value);
    return writer.take();
  };
  CHECK(WireReader(reader_of(1)).choice(Colour::green) == Colour::green);
  CHECK(test::raised([&] { WireReader(reader_of(2)).choice(Colour::green); }).has_value());
  CHECK(WireReader(reader_of(1)).flag());
  CHECK(test::raised([&] { WireReader(reader_of(2)).flag(); }).has_value());
}

TEST_CASE("WireReader: lists come back in order, and a count of all ones is no reason to allocate", "[source]") {
  WireWriter writer;
  writer.texts({"a", "", std::string("\0b", 2)});
  writer.ids(std::vector<ObjectId>{git_blob_id("b"), git_blob_id("a")});
  const std::string bytes = writer.take();
  WireReader reader(bytes);
  CHECK(reader.texts() == std::vector<std::string>{"a", "", std::string("\0b", 2)});
  CHECK(reader.ids() == std::vector<ObjectId>{git_blob_id("b"), git_blob_id("a")});
  CHECK(reader.at_end());
  const std::string endless(8, '\xff');
  CHECK(test::raised([&] { WireReader(endless).texts(); }).has_value());
  CHECK(test::raised([&] { WireReader(endless).ids(); }).has_value());
}
