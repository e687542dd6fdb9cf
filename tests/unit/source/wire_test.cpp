// SPDX-License-Identifier: BSD-3-Clause
#include "support/wire.h"

#include "model/release.h"
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
  tree.damage = {"d"};
  return tree;
}

}  // namespace

TEST_CASE("from_wire: gives back what was encoded", "[source]") {
  const RepositoryTree tree = from_wire<RepositoryTree>(to_wire(sample_tree()));
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
  CHECK(tree.damage == std::vector<std::string>{"d"});

  RepositoryTree missing;
  missing.missing = "gone";
  CHECK(from_wire<RepositoryTree>(to_wire(missing)).missing == "gone");
  CHECK(from_wire<RepositoryTree>(to_wire(missing)).store == -1);
}

TEST_CASE("from_wire: refuses truncation at every byte", "[source]") {
  const std::string bytes = to_wire(sample_tree());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    INFO(size);
    CHECK(test::message_of(ErrorKind::source, [&] { from_wire<RepositoryTree>(bytes.substr(0, size)); }) ==
          "a worker process sent a damaged message");
  }
}

TEST_CASE("WireReader: a length of all ones is no reason to allocate", "[source]") {
  WireReader reader(std::string_view("\xff\xff\xff\xff\xff\xff\xff\xffx", 9));
  CHECK(test::raised([&] { reader.get<std::string>(); }).has_value());
}

TEST_CASE("from_wire: refuses values that do not exist", "[source]") {
  const std::string fine = to_wire(sample_tree());
  const auto is_refused = [](RepositoryTree tree) {
    return test::message_of(ErrorKind::source, [&] { from_wire<RepositoryTree>(to_wire(tree)); }) ==
           "a worker process sent a damaged message";
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
  CHECK(test::raised([&] { from_wire<RepositoryTree>(fine + "x"); }).has_value());
}

TEST_CASE("WireReader: takes numbers for what they stand for, and no others", "[source]") {
  CHECK(from_wire<Component>(to_wire(2)) == Component::audio);
  CHECK(test::raised([] { from_wire<Component>(to_wire(3)); }).has_value());
  CHECK(from_wire<bool>(to_wire(1)));
  CHECK(test::raised([] { from_wire<bool>(to_wire(2)); }).has_value());
  CHECK(from_wire<int>(to_wire(-1)) == -1);
  CHECK(test::raised([] { from_wire<std::uint32_t>(to_wire(-1)); }).has_value());
}

TEST_CASE("WireReader: lists come back in order, and a count of all ones is no reason to allocate", "[source]") {
  WireWriter writer;
  writer.put(std::vector<std::string>{"a", "", std::string("\0b", 2)});
  writer.put(std::vector<ObjectId>{git_blob_id("b"), git_blob_id("a")});
  const std::string bytes = writer.take();
  WireReader reader(bytes);
  CHECK(reader.get<std::vector<std::string>>() == std::vector<std::string>{"a", "", std::string("\0b", 2)});
  CHECK(reader.get<std::vector<ObjectId>>() == std::vector<ObjectId>{git_blob_id("b"), git_blob_id("a")});
  CHECK(reader.at_end());
  const std::string endless(8, '\xff');
  CHECK(test::raised([&] { WireReader(endless).get<std::vector<std::string>>(); }).has_value());
  CHECK(test::raised([&] { WireReader(endless).get<std::vector<ObjectId>>(); }).has_value());
}
