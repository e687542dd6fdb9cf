// SPDX-License-Identifier: BSD-3-Clause
#include "tree/scan.h"

#include "support/catch.h"
#include "support/text.h"
#include "unit/git/git_sandbox.h"
#include "unit/git/raises.h"

namespace torchpatch::tree {

using test::message_of;

namespace {

const ObjectId kCommit = *ObjectId::parse("142c973f4179e768164cd578951489e89021b29c");

/// Returns the leaves that lines of `git ls-tree` name.
std::vector<Leaf> leaves_of(const std::vector<std::string>& lines) {
  std::vector<Leaf> leaves;
  for (const std::string_view line : lines) {
    const std::size_t tab = line.find('\t');
    leaves.push_back(
        {line.substr(tab + 1), *parse_file_mode(line.substr(0, 6)), *ObjectId::parse(line.substr(tab - 40, 40))});
  }
  return leaves;
}

std::vector<std::string> listing_of(const test::GitSandbox& sandbox) {
  return split(sandbox.git("r", {"ls-tree", "-r", "HEAD"}), '\n');
}

}  // namespace

TEST_CASE("tree_id: is git's own for files, links, executables, gitlinks and names that sort oddly") {
  const test::GitSandbox sandbox;
  sandbox.init("r");
  for (const char* path : {"a.c", "a/b/c", "a/b.c", "a-b/x", "ab", "z/y/x/w", "z/y-x"})
    sandbox.write(std::string("r/") + path, path);
  sandbox.git("r", {"add", "--all"});
  sandbox.git("r", {"update-index", "--chmod=+x", "a/b.c"});
  const std::string target = sandbox.id("r", ":a.c").hex();
  sandbox.git("r", {"update-index", "--add", "--cacheinfo", "120000," + target + ",a/link"});
  sandbox.stage_gitlink("r", "a/sub", kCommit);
  sandbox.git("r", {"commit", "--quiet", "--message=test"});

  const std::vector<std::string> listing = listing_of(sandbox);
  std::vector<Leaf> leaves = leaves_of(listing);
  REQUIRE(leaves.size() == 9);
  CHECK(tree_id(leaves) == sandbox.id("r", "HEAD^{tree}"));
  std::reverse(leaves.begin(), leaves.end());
  CHECK(tree_id(leaves) == sandbox.id("r", "HEAD^{tree}"));
}

TEST_CASE("tree_ids: has those of the directories at the top") {
  const test::GitSandbox sandbox;
  sandbox.init("r");
  for (const char* path : {"a/b/c", "a.c", "a-b/x"}) sandbox.write(std::string("r/") + path, path);
  sandbox.git("r", {"add", "--all"});
  sandbox.git("r", {"commit", "--quiet", "--message=test"});
  const std::vector<std::string> listing = listing_of(sandbox);
  const TreeIds ids = tree_ids(leaves_of(listing));
  CHECK(ids.tree == sandbox.id("r", "HEAD^{tree}"));
  CHECK(ids.directories == std::map<std::string, ObjectId, std::less<>>{{"a", sandbox.id("r", "HEAD:a")},
                                                                        {"a-b", sandbox.id("r", "HEAD:a-b")}});
}

TEST_CASE("tree_id: of no leaves is the empty tree's") {
  CHECK(tree_id({}).hex() == "4b825dc642cb6eb9a060e54bf8d69288fbee4904");
}

TEST_CASE("tree_id: refuses a path that stands twice or is leaf and directory") {
  const auto id_of = [](const std::vector<std::string>& paths) {
    return [=] {
      std::vector<Leaf> leaves;
      for (const std::string& path : paths) leaves.push_back({path, FileMode::regular, kCommit});
      tree_id(leaves);
    };
  };
  CHECK(message_of(ErrorKind::unsafe, id_of({"a/b", "a/b"})) == "path 'a/b' occurs twice");
  const std::string both = "path 'a/b' is a file and, by 'a/b/c', a directory";
  CHECK(message_of(ErrorKind::unsafe, id_of({"a/b/c", "a/b"})) == both);
  CHECK(message_of(ErrorKind::unsafe, id_of({"a/b/c", "a/b-c", "a/b!/c", "a/b"})) == both);
}

}  // namespace torchpatch::tree
