// SPDX-License-Identifier: BSD-3-Clause
#include "git/object.h"

#include "support/catch.h"
#include "support/digest.h"
#include "unit/git/git_sandbox.h"
#include "unit/git/raises.h"

using namespace torchpatch;
using git::TreeEntry;

namespace {

const std::string kId(20, 'i');

std::string entry(const std::string& mode, const std::string& name) { return mode + " " + name + '\0' + kId; }

std::string tree_refusal(const std::string& bytes) {
  return test::message_of(ErrorKind::source, [&] { git::parse_tree(bytes); });
}

std::string commit_refusal(const std::string& bytes) {
  return test::message_of(ErrorKind::source, [&] { git::parse_commit(bytes); });
}

const std::string kTree = "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n";
const std::string kAuthor = "author A <a@example.org> 1 +0000\n";

}  // namespace

TEST_CASE("format_tree: gives the trees that git writes, whatever the order", "[git]") {
  const test::GitSandbox sandbox;
  sandbox.init("r");
  for (const char* file : {"a.c", "a/x", "a0", "b", "a-b", "z/y/x"}) sandbox.write(std::string("r/") + file, file);
  sandbox.commit("r");
  std::vector<TreeEntry> entries;
  for (const char* file : {"z", "b", "a0", "a.c", "a-b", "a"}) {
    const bool is_directory = std::string_view(file) == "a" || std::string_view(file) == "z";
    entries.push_back({is_directory ? "40000" : "100644", file, sandbox.id("r", std::string("HEAD:") + file)});
  }
  const std::string bytes = git::format_tree(entries);
  CHECK(git_object_id("tree", bytes) == sandbox.id("r", "HEAD^{tree}"));

  const auto parsed = git::parse_tree(bytes);
  REQUIRE(parsed.size() == 6);
  CHECK(parsed[0].name == "a-b");
  CHECK(parsed[1].name == "a.c");
  CHECK(parsed[2].name == "a");
  CHECK(parsed[2].mode == "40000");
  CHECK(parsed[2].id == sandbox.id("r", "HEAD:a"));
}

TEST_CASE("parse_tree: the empty tree has no entries", "[git]") { CHECK(git::parse_tree("").empty()); }

TEST_CASE("parse_tree: keeps modes and names as they stand", "[git]") {
  const auto entries = git::parse_tree(entry("104755", "..") + entry("0100644", "a/b"));
  REQUIRE(entries.size() == 2);
  CHECK(entries[0].mode == "104755");
  CHECK(entries[0].name == "..");
  CHECK(entries[1].mode == "0100644");
  CHECK(entries[1].name == "a/b");
}

TEST_CASE("parse_tree: refuses malformed trees", "[git]") {
  const std::string good = entry("100644", "a");
  for (std::size_t size = 1; size < good.size(); ++size) {
    INFO(size);
    CHECK(test::raised([&] { git::parse_tree(good.substr(0, size)); }).has_value());
  }
  CHECK(tree_refusal(good + "x") == "reading a tree object: an entry has no octal mode");
  CHECK(tree_refusal(entry("", "a")) == "reading a tree object: an entry has no octal mode");
  CHECK(tree_refusal(entry("100648", "a")) == "reading a tree object: an entry has no octal mode");
  CHECK(tree_refusal(entry("-100644", "a")) == "reading a tree object: an entry has no octal mode");
  CHECK(tree_refusal(entry("10064400", "a")) == "reading a tree object: an entry has no octal mode");
}

TEST_CASE("parse_tree: refuses unsorted trees and names that are there twice", "[git]") {
  CHECK(tree_refusal(entry("100644", "b") + entry("100644", "a")) ==
        "reading a tree object: 'a' is not in git's order");
  CHECK(tree_refusal(entry("100644", "a") + entry("100644", "a")) ==
        "reading a tree object: 'a' is not in git's order");
  CHECK(tree_refusal(entry("40000", "a") + entry("100644", "a.c")) ==
        "reading a tree object: 'a.c' is not in git's order");
  CHECK(tree_refusal(entry("120000", "a") + entry("100644", "a.c") + entry("40000", "a")) ==
        "reading a tree object: it names 'a' twice");
}

TEST_CASE("parse_commit: reads tree and committer time", "[git]") {
  const git::Commit commit = git::parse_commit(
      kTree + "parent " + std::string(40, '1') + "\nparent " + std::string(40, '2') + "\n" + kAuthor +
      "committer > B < <b@example.org> 1556649600 -0700\ngpgsig x\n y\n\nmessage\ncommitter C <c> 5 +0000\n");
  CHECK(commit.tree.hex() == "4b825dc642cb6eb9a060e54bf8d69288fbee4904");
  CHECK(commit.time == 1556649600);
  CHECK(commit.zone == -7 * 3600);
  CHECK(git::parse_commit(kTree + kAuthor + "committer A <a> 1 +0530\n\n").zone == 19800);
  CHECK(git::parse_commit(kTree + kAuthor + "committer A <a> 1 +05x0\n\n").zone == 0);
}

TEST_CASE("parse_commit: refuses what is no commit", "[git]") {
  CHECK(commit_refusal("") == "reading a commit object: it has no tree or a malformed parent");
  CHECK(commit_refusal("tree 4b82\n") == "reading a commit object: it has no tree or a malformed parent");
  CHECK(commit_refusal(kTree + "parent x\n" + kAuthor) ==
        "reading a commit object: it has no tree or a malformed parent");
  CHECK(commit_refusal(kTree) == "reading a commit object: it has no author");
  CHECK(commit_refusal(kTree + kAuthor) == "reading a commit object: it has no committer");
  CHECK(commit_refusal(kTree + kAuthor + "committer A\n") == "reading a commit object: its committer has no time");
  CHECK(commit_refusal(kTree + kAuthor + "committer A <a> -5 +0000\n") ==
        "reading a commit object: its time is out of range");
  CHECK(commit_refusal(kTree + kAuthor + "committer A <a> 253402300800 +0000\n") ==
        "reading a commit object: its time is out of range");
  CHECK(commit_refusal(kTree + kAuthor + "committer A <a> 1 +0000") == "reading a commit object: it has no committer");
}
