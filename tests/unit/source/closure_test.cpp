// SPDX-License-Identifier: BSD-3-Clause
#include <sys/stat.h>
#include <unistd.h>

#include "support/digest.h"
#include "unit/source/closure_fixture.h"

using namespace torchpatch;
using namespace torchpatch::source;

namespace {

/// torch ── third_party/onnx ── deep/six (relative URL)
///       ── third_party/six  (another commit of six)
struct Nested : test::Upstream {
  ObjectId six, newer_six, onnx, torch;

  Nested() {
    sandbox.init("six");
    sandbox.write("six/six.py", "six");
    six = sandbox.commit("six");
    sandbox.write("six/six.py", "newer six");
    newer_six = sandbox.commit("six");

    sandbox.init("onnx");
    sandbox.write("onnx/model", "onnx");
    add_submodule("onnx", "deep/six", "../../benjaminp/six.git", six);
    onnx = sandbox.commit("onnx");

    sandbox.init("torch");
    sandbox.write("torch/setup.py", "setup");
    sandbox.write("torch/tools/run.sh", "run");
    REQUIRE(chmod((sandbox.path() + "/torch/tools/run.sh").c_str(), 0755) == 0);
    REQUIRE(symlink("run.sh", (sandbox.path() + "/torch/tools/link").c_str()) == 0);
    add_submodule("torch", "third_party/onnx", "https://example.org/onnx/onnx.git", onnx);
    add_submodule("torch", "third_party/six", "https://example.org/benjaminp/six", newer_six);
    torch = sandbox.commit("torch");
  }
};

std::string text_of(const Closure& closure) {
  std::string text;
  for (const ClosureRepository& repository : closure.repositories)
    text += concat(repository.path.text(), " ", repository.url, "\n");
  for (const ClosureFile& file : closure.files)
    text += concat(file.repository, " ", file.path, " ", name_of(file.mode), "\n");
  return text;
}

constexpr const char* kNestedText =
    "torch https://example.org/pytorch/pytorch.git\n"
    "torch:third_party/onnx https://example.org/onnx/onnx.git\n"
    "torch:third_party/onnx/deep/six https://example.org/benjaminp/six.git\n"
    "torch:third_party/six https://example.org/benjaminp/six\n"
    "0 .gitmodules 100644\n"
    "0 setup.py 100644\n"
    "0 tools/link 120000\n"
    "0 tools/run.sh 100755\n"
    "1 .gitmodules 100644\n"
    "1 model 100644\n"
    "2 six.py 100644\n"
    "3 six.py 100644\n";

std::string first_loose_object(const test::GitSandbox& sandbox, const std::string& repository, const ObjectId& id) {
  return sandbox.path() + "/" + repository + "/.git/objects/" + id.hex().substr(0, 2) + "/" + id.hex().substr(2);
}

}  // namespace

TEST_CASE("read_closure: walks nested submodules by their ids", "[source]") {
  Nested upstream;
  const Closure closure = upstream.read(upstream.torch);
  CHECK(text_of(closure) == kNestedText);
  const ClosureRepository& torch = closure.repositories[0];
  CHECK(torch.commit == upstream.torch);
  CHECK(git_object_id("commit", torch.raw_commit) == upstream.torch);
  CHECK(torch.tree == upstream.sandbox.id("torch", "HEAD^{tree}"));
  CHECK(torch.time == 1556649600);
  CHECK(closure.files[1].blob == git_blob_id("setup"));
  CHECK(closure.files[6].blob == git_blob_id("six"));
  CHECK(closure.files[7].blob == git_blob_id("newer six"));
  CHECK(upstream.console.warnings.empty());
}

TEST_CASE("read_closure: the folder that has a commit is noted", "[source]") {
  Nested upstream;
  MirrorSource source({upstream.sandbox.path()}, upstream.console);
  const Closure closure = test::read_torch(source, test::release_of(test::kTorchUrl, upstream.torch), upstream.console);
  const auto folder = [&](std::size_t i) {
    return source.object_folders()[static_cast<std::size_t>(closure.repositories[i].store)];
  };
  CHECK(folder(0) == upstream.sandbox.path() + "/torch/.git/objects");
  CHECK(folder(3) == upstream.sandbox.path() + "/six/.git/objects");
}

TEST_CASE("read_closure: names and kinds of repositories do not matter", "[source]") {
  Nested upstream;
  const test::GitSandbox& sandbox = upstream.sandbox;
  make_directories(sandbox.path() + "/b");
  sandbox.git("b", {"clone", "--quiet", "--bare", "--no-local", "../onnx", "x"});
  sandbox.git("b", {"init", "--quiet", "--bare", "empty"});
  sandbox.git("torch", {"repack", "-adq"});
  // As a clone with submodules keeps them.
  make_directories(sandbox.path() + "/torch/.git/modules/deep");
  sandbox.git("torch/.git/modules/deep", {"clone", "--quiet", "--bare", "--no-local", "../../../../six", "y"});
  remove_tree(sandbox.path() + "/onnx");
  remove_tree(sandbox.path() + "/six");
  CHECK(text_of(upstream.read(upstream.torch)) == kNestedText);
}

TEST_CASE("read_closure: an object that one repository lacks comes from another", "[source]") {
  Nested upstream;
  make_directories(upstream.sandbox.path() + "/z");
  upstream.sandbox.git("z", {"clone", "--quiet", "--bare", "--no-local", "../torch", "copy"});
  const std::string blob = first_loose_object(upstream.sandbox, "torch", git_blob_id("setup"));
  REQUIRE(unlink(blob.c_str()) == 0);
  SECTION("not there") { CHECK(text_of(upstream.read(upstream.torch)) == kNestedText); }
  SECTION("a FIFO instead") {
    REQUIRE(mkfifo(blob.c_str(), 0600) == 0);
    CHECK(text_of(upstream.read(upstream.torch)) == kNestedText);
  }
}

TEST_CASE("read_closure: damaged repositories are warnings where others have their objects", "[source]") {
  Nested upstream;
  const test::GitSandbox& sandbox = upstream.sandbox;
  make_directories(sandbox.path() + "/a");
  sandbox.git("a", {"clone", "--quiet", "--bare", "--no-local", "../torch", "damaged"});
  const std::string packs = sandbox.path() + "/a/damaged/objects/pack";
  const std::string path = test::find_file(packs, ".idx");
  std::string index = read_file(path);
  index.replace(8, 1024, 1024, '\xff');
  test::overwrite_file(path, index);
  CHECK(text_of(upstream.read(upstream.torch)) == kNestedText);
  REQUIRE(upstream.console.warnings.size() == 1);
  CHECK(
      starts_with(upstream.console.warnings[0], concat("reading the pack index '", path, "': its size does not fit")));
}

TEST_CASE("read_closure: reports every missing pin at once", "[source]") {
  Nested upstream;
  remove_tree(upstream.sandbox.path() + "/six");
  const std::string blob = first_loose_object(upstream.sandbox, "torch", git_blob_id("setup"));
  const std::vector<MovedRepository> moved = {
      {"https://example.org/benjaminp/six.git", {"https://example.net/six", "https://example.com/six"}, ""}};
  const std::string mirror = quote(upstream.sandbox.path());
  SECTION("two commits of a repository that is not there") {
    CHECK(test::message_of(ErrorKind::source, [&] { upstream.read(upstream.torch, moved); }) ==
          concat(
              "reading the closure from the mirror ", mirror, ": 2 commits are not there\n",
              "  torch:third_party/six: commit ", upstream.newer_six.hex(),
              " of 'https://example.org/benjaminp/six': the commit was not found; not in any mirror; also known at "
              "'https://example.net/six'; also known at 'https://example.com/six'\n",
              "  torch:third_party/onnx/deep/six: commit ", upstream.six.hex(),
              " of 'https://example.org/benjaminp/six.git': the commit was not found; not in any mirror; also known at "
              "'https://example.net/six'; also known at 'https://example.com/six'"));
  }
  SECTION("a blob of a commit that is there, and what its submodules lack") {
    REQUIRE(unlink(blob.c_str()) == 0);
    CHECK(starts_with(upstream.refusal(ErrorKind::source, upstream.torch),
                      concat("reading the closure from the mirror ", mirror, ": 2 commits and 1 file are not there\n",
                             "  torch: commit ", upstream.torch.hex(), " of '", test::kTorchUrl, "': the blob ",
                             git_blob_id("setup").hex(), " ('setup.py') was not found; not in any mirror\n",
                             "  torch:third_party/six: commit ", upstream.newer_six.hex())));
  }
}

TEST_CASE("read_closure: an object that is damaged everywhere is a missing pin with the reason", "[source]") {
  Nested upstream;
  const std::string tree = first_loose_object(upstream.sandbox, "onnx", upstream.sandbox.id("onnx", "HEAD^{tree}"));
  test::overwrite_file(tree, "no zlib stream");
  const std::string message = upstream.refusal(ErrorKind::source, upstream.torch);
  CHECK(message.find(concat("torch:third_party/onnx: commit ", upstream.onnx.hex())) != std::string::npos);
  CHECK(message.find("': it is not a zlib stream; not in any mirror") != std::string::npos);
}

TEST_CASE("read_closure: an entry without a submodule is a note", "[source]") {
  test::Upstream upstream;
  upstream.sandbox.init("torch");
  upstream.sandbox.write("torch/.gitmodules", "[submodule \"x\"]\npath = x\nurl = https://example.org/x\n");
  const Closure closure = upstream.read(upstream.sandbox.commit("torch"));
  CHECK(closure.notes ==
        std::vector<std::string>{
            "torch: .gitmodules has an entry for 'x' (line 1), but the commit has no submodule at this path"});
}

TEST_CASE("read_closure: the empty tree is a closure without files", "[source]") {
  test::Upstream upstream;
  upstream.sandbox.init("torch");
  const Closure closure = upstream.read(upstream.sandbox.commit("torch"));
  CHECK(closure.repositories.size() == 1);
  CHECK(closure.files.empty());
}
