// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include "git/object.h"
#include "source/closure/repository_tree.h"
#include "support/digest.h"
#include "unit/source/closure_fixture.h"

using namespace torchpatch;
using namespace torchpatch::source;

namespace {

/// One repository whose trees a test makes of any bytes.
struct RawUpstream : test::Upstream {
  ObjectId blob;

  RawUpstream() {
    sandbox.init("torch");
    blob = store("torch", "blob", "content");
  }
  ObjectId tree(const std::vector<git::TreeEntry>& entries) const {
    return store("torch", "tree", git::format_tree(entries));
  }
  std::string refusal_of_entry(const std::string& mode, const std::string& name) {
    return refusal(ErrorKind::unsafe, store_commit("torch", tree({{mode, name, blob}})));
  }
};

}  // namespace

TEST_CASE("read_closure: refuses paths and modes that the rule refuses", "[source]") {
  RawUpstream upstream;
  for (const char* name : {"..", ".", ".git", ".GIT", "git~1", "a/b", "/abs", "../x", "a\rb", "\x01"}) {
    INFO(name);
    CHECK(starts_with(upstream.refusal_of_entry("100644", name), concat("reading the tree entry ", quote(name), ": ")));
  }
  CHECK(starts_with(upstream.refusal_of_entry("100644", ""), "reading the tree entry '': "));
  CHECK(starts_with(upstream.refusal_of_entry("100644", std::string(256, 'a')), "reading the tree entry 'aaaa"));
  CHECK(starts_with(upstream.refusal_of_entry("100644", "\xff\xfe"), "reading the tree entry "));
  for (const char* mode : {"104755", "107777", "0", "1", "60000", "120777", "100600", "10644"}) {
    INFO(mode);
    CHECK(upstream.refusal_of_entry(mode, "a") ==
          concat("reading the tree entry 'a': mode ", mode, " is not supported"));
  }
}

TEST_CASE("read_closure: refuses paths in subdirectories, and says where", "[source]") {
  RawUpstream upstream;
  const ObjectId inner = upstream.tree({{"100644", ".git", upstream.blob}});
  const ObjectId commit = upstream.store_commit("torch", upstream.tree({{"40000", "sub", inner}}));
  const auto error = test::raised([&] { upstream.read(commit); });
  REQUIRE(error);
  CHECK(error->kind() == ErrorKind::unsafe);
  CHECK(starts_with(error->message(), "reading the tree entry 'sub/.git': "));
  CHECK(error->context() == std::vector<std::string>{concat("while reading torch at ", commit.hex())});
}

TEST_CASE("read_repository_tree: stops at the limit of entries", "[source]") {
  RawUpstream upstream;
  // 20 entries on each of 12 levels, in a few kilobytes: 20^12 files.
  ObjectId tree = upstream.tree({{"100644", "f", upstream.blob}});
  for (int level = 0; level < 12; ++level) {
    std::vector<git::TreeEntry> entries;
    for (char name = 'a'; name < 'a' + 20; ++name) entries.push_back({"40000", std::string(1, name), tree});
    tree = upstream.tree(entries);
  }
  git::ObjectStore store({upstream.sandbox.path() + "/torch/.git/objects"});
  CHECK(ends_with(
      test::message_of(ErrorKind::unsafe,
                       [&] { read_repository_tree(store, upstream.store_commit("torch", tree), "pytorch", 1000); }),
      "': the tree has more than 1000 entries"));
}

TEST_CASE("read_closure: refuses directories 600 deep", "[source]") {
  RawUpstream upstream;
  ObjectId tree = upstream.tree({{"100644", "f", upstream.blob}});
  for (int level = 0; level < 600; ++level) tree = upstream.tree({{"40000", "d", tree}});
  CHECK(starts_with(upstream.refusal(ErrorKind::unsafe, upstream.store_commit("torch", tree)),
                    "reading the tree entry 'd/d/d/"));
}

TEST_CASE("read_closure: refuses objects of the wrong type", "[source]") {
  RawUpstream upstream;
  CHECK(upstream.refusal(ErrorKind::source, upstream.blob) ==
        concat("reading ", upstream.blob.hex(), ": it is a blob, not a commit"));
  const ObjectId tree = upstream.tree({{"40000", "d", upstream.blob}});
  CHECK(upstream.refusal(ErrorKind::source, upstream.store_commit("torch", tree)) ==
        concat("reading 'd/': ", upstream.blob.hex(), " is a blob, not a tree"));
  CHECK(upstream.refusal(ErrorKind::source, upstream.store("torch", "tree", "100644 a")) != "nothing was raised");
}

TEST_CASE("read_closure: refuses a submodule without an entry in .gitmodules", "[source]") {
  test::Upstream upstream;
  upstream.sandbox.init("torch");
  upstream.sandbox.stage_gitlink("torch", "sub", git_blob_id("any"));
  const ObjectId commit = upstream.sandbox.commit("torch");
  CHECK(upstream.refusal(ErrorKind::unsafe, commit) ==
        concat("reading torch at ", commit.hex(),
               ": the submodule 'sub' has no entry in .gitmodules, so its repository is unknown"));
}

TEST_CASE("read_closure: refuses a .gitmodules that is no regular file, under every name that git reads", "[source]") {
  RawUpstream upstream;
  for (const char* name : {".gitmodules", ".GITMODULES", "gitmod~1"}) {
    INFO(name);
    CHECK(upstream.refusal_of_entry("120000", name) ==
          concat("reading the tree entry '", name, "': it is not a regular file"));
  }
  CHECK(upstream.refusal_of_entry("160000", ".gitmodules") ==
        "reading the tree entry '.gitmodules': it is not a regular file");
}

TEST_CASE("read_closure: refuses a malformed .gitmodules, and names repository and line", "[source]") {
  test::Upstream upstream;
  upstream.sandbox.init("torch");
  upstream.sandbox.write("torch/.gitmodules", "[submodule \"a\"]\n\tpath = a\n[include]\n\tpath = /etc/passwd\n");
  const ObjectId commit = upstream.sandbox.commit("torch");
  CHECK(upstream.refusal(ErrorKind::unsafe, commit) ==
        concat("reading .gitmodules of torch at ", commit.hex(), ", line 3: an include"));
}

TEST_CASE("read_closure: refuses URLs of submodules, even where nothing is fetched", "[source]") {
  const auto refusal_of = [](const std::string& url) {
    test::Upstream upstream;
    upstream.sandbox.init("torch");
    upstream.add_submodule("torch", "sub", url, git_blob_id("any"));
    const ObjectId commit = upstream.sandbox.commit("torch");
    const std::string prefix = concat("reading .gitmodules of torch at ", commit.hex(), ", line 1: the URL ");
    const std::string message = upstream.refusal(ErrorKind::unsafe, commit);
    return starts_with(message, prefix) ? message.substr(prefix.size()) : message;
  };
  CHECK(refusal_of("ext::sh") == "'ext::sh' is refused: it is not of the form scheme://host/path");
  CHECK(refusal_of("/etc") == "'/etc' is refused: it is not of the form scheme://host/path");
  CHECK(refusal_of("file:///etc") == "'file:///etc' is refused: it is a local directory");
  CHECK(refusal_of("https://user:secret@example.org/x") ==
        "'https://example.org/x' is refused: it has a user name or password");
  CHECK(refusal_of("../../../x") ==
        "resolving the URL '../../../x' against 'https://example.org/pytorch/pytorch.git': it goes above the host");
}

TEST_CASE("read_closure: refuses submodules more than 16 levels deep", "[source]") {
  test::Upstream upstream;
  upstream.sandbox.init("torch");
  ObjectId commit = upstream.sandbox.commit("torch");
  const auto wrap = [&] {
    const ObjectId modules =
        upstream.store("torch", "blob", "[submodule \"s\"]\npath = s\nurl = https://example.org/s\n");
    const std::vector<git::TreeEntry> entries = {{"100644", ".gitmodules", modules}, {"160000", "s", commit}};
    commit = upstream.store_commit("torch", upstream.store("torch", "tree", git::format_tree(entries)));
  };
  for (int level = 0; level < 15; ++level) wrap();
  CHECK(upstream.read(commit).repositories.size() == 16);
  wrap();
  CHECK(ends_with(upstream.refusal(ErrorKind::unsafe, commit), ": submodules lie more than 16 levels deep"));
}

TEST_CASE("read_closure: refuses more than 1000 repositories", "[source]") {
  test::Upstream upstream;
  upstream.sandbox.init("torch");
  const ObjectId leaf = upstream.sandbox.commit("torch");
  std::string modules;
  std::vector<git::TreeEntry> entries;
  for (int i = 0; i < 1000; ++i) {
    modules += concat("[submodule \"", i, "\"]\npath = s", i, "\nurl = https://example.org/s\n");
    entries.push_back({"160000", concat("s", i), leaf});
  }
  entries.push_back({"100644", ".gitmodules", upstream.store("torch", "blob", modules)});
  const ObjectId tree = upstream.store("torch", "tree", git::format_tree(entries));
  CHECK(ends_with(upstream.refusal(ErrorKind::unsafe, upstream.store_commit("torch", tree)),
                  "the closure has more than 1000 repositories or 1000000 entries"));
}

TEST_CASE("read_closure: refuses the URL of a pin", "[source]") {
  test::Upstream upstream;
  upstream.sandbox.init("torch");
  MirrorSource source({upstream.sandbox.path()}, upstream.console);
  CHECK(test::message_of(ErrorKind::unsafe, [&] {
          test::read_torch(source, test::release_of("ext::sh", git_blob_id("any")), upstream.console);
        }) == "reading the pin of torch: the URL 'ext::sh' is refused: it is not of the form scheme://host/path");
}
