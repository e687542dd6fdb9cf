// SPDX-License-Identifier: BSD-3-Clause
#include "unit/source/closure_fixture.h"

using namespace torchpatch;
using namespace torchpatch::source;

namespace {

constexpr const char* kForkUrl = "https://example.org/fork/onnx.git";

/// torch ── third_party/onnx (old) ── deep/six; `fork` is an onnx with other/six instead.
struct Forked : test::Upstream {
  ObjectId six, onnx, fork, torch;

  Forked() {
    sandbox.init("six");
    sandbox.write("six/six.py", "six");
    six = sandbox.commit("six");
    sandbox.init("onnx");
    add_submodule("onnx", "deep/six", "../six.git", six);
    onnx = sandbox.commit("onnx");
    sandbox.init("fork");
    add_submodule("fork", "other/six", "../six.git", six);
    fork = sandbox.commit("fork");
    sandbox.init("torch");
    add_submodule("torch", "third_party/onnx", "https://example.org/onnx/onnx.git", onnx);
    torch = sandbox.commit("torch");
  }

  SubmoduleOverride take_fork() const { return {{Component::torch, "third_party/onnx"}, onnx, fork, kForkUrl}; }

  Closure read_with(const std::vector<SubmoduleOverride>& overrides) {
    MirrorSource source({sandbox.path()}, console);
    return test::read_torch(source, test::release_of(test::kTorchUrl, torch), console, {}, overrides);
  }
  std::string refusal_of(ErrorKind kind, const std::vector<SubmoduleOverride>& overrides) {
    return test::message_of(kind, [&] { read_with(overrides); });
  }
};

}  // namespace

TEST_CASE("read_closure: walks on from an override's commit, with its URL", "[source]") {
  Forked upstream;
  const Closure closure = upstream.read_with({upstream.take_fork()});
  REQUIRE(closure.repositories.size() == 3);
  const ClosureRepository& onnx = closure.repositories.at(1);
  CHECK(onnx.commit == upstream.fork);
  CHECK(onnx.gitlink == upstream.onnx);
  CHECK(onnx.url == kForkUrl);
  const ClosureRepository& six = closure.repositories.at(2);
  CHECK(six.path.text() == "torch:third_party/onnx/other/six");
  CHECK(six.url == "https://example.org/fork/six.git");
  CHECK(six.gitlink == six.commit);
}

TEST_CASE("read_closure: without overrides the gitlinks are the commits", "[source]") {
  Forked upstream;
  for (const ClosureRepository& repository : upstream.read_with({}).repositories)
    CHECK(repository.gitlink == repository.commit);
}

TEST_CASE("read_closure: refuses an override of another pin", "[source]") {
  Forked upstream;
  SubmoduleOverride what = upstream.take_fork();
  what.replaces = upstream.six;
  CHECK(upstream.refusal_of(ErrorKind::patch, {what}) ==
        concat("replacing the commit of submodule torch:third_party/onnx at ", upstream.fork.hex(), ": pinned at ",
               upstream.onnx.hex(), ", but the override replaces ", upstream.six.hex()));
}

TEST_CASE("read_closure: refuses an override of a submodule that is not there", "[source]") {
  Forked upstream;
  const SubmoduleOverride deep{{Component::torch, "third_party/onnx/deep/six"}, upstream.six, upstream.fork, kForkUrl};
  const SubmoduleOverride wrong{{Component::torch, "third_party/gloo"}, upstream.six, upstream.fork, kForkUrl};
  CHECK(upstream.refusal_of(ErrorKind::patch, {wrong}) ==
        concat("replacing the commit of submodule torch:third_party/gloo at ", upstream.fork.hex(),
               ": no such submodule"));
  // The pinned onnx has it, the one that is taken has not.
  CHECK(upstream.refusal_of(ErrorKind::patch, {upstream.take_fork(), deep}) ==
        concat("replacing the commit of submodule torch:third_party/onnx/deep/six at ", upstream.fork.hex(),
               ": no such submodule with torch:third_party/onnx at ", upstream.fork.hex()));
}

TEST_CASE("read_closure: refuses an override's URL by the rule for all URLs", "[source]") {
  Forked upstream;
  SubmoduleOverride what = upstream.take_fork();
  what.url = "ext::sh -c true";
  CHECK_THAT(upstream.refusal_of(ErrorKind::unsafe, {what}), Catch::Contains("is refused"));
}

TEST_CASE("read_closure: a missing override is asked for at its URL", "[source]") {
  Forked upstream;
  SubmoduleOverride what = upstream.take_fork();
  what.commit = *ObjectId::parse(std::string(40, '7'));
  CHECK_THAT(upstream.refusal_of(ErrorKind::source, {what}),
             Catch::Contains(concat("torch:third_party/onnx: commit ", what.commit.hex(), " of '", kForkUrl, "'")));
}
