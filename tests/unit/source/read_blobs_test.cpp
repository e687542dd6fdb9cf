// SPDX-License-Identifier: BSD-3-Clause
#include "source/closure/object_source.h"

#include "support/digest.h"
#include "unit/source/closure_fixture.h"

using namespace torchpatch;
using namespace torchpatch::source;

TEST_CASE("read_blobs: returns the bytes in the order of the requests", "[source]") {
  test::Upstream upstream;
  upstream.sandbox.init("a");
  upstream.sandbox.init("b");
  const ObjectId first = upstream.store("a", "blob", "first");
  const ObjectId second = upstream.store("b", "blob", std::string(300000, 's'));
  MirrorSource source({upstream.sandbox.path()}, upstream.console);
  CHECK(read_blobs({}, source, upstream.console).empty());
  CHECK(read_blobs({{second, -1, "x"}, {first, 1, "y"}, {second, 0, "z"}}, source, upstream.console) ==
        std::vector<std::string>{std::string(300000, 's'), "first", std::string(300000, 's')});
}

TEST_CASE("read_blobs: names what is missing or no blob", "[source]") {
  test::Upstream upstream;
  upstream.sandbox.init("a");
  const ObjectId commit = upstream.sandbox.commit("a");
  MirrorSource source({upstream.sandbox.path()}, upstream.console);
  const auto refusal = [&](const ObjectId& id) {
    return test::message_of(ErrorKind::source, [&] {
      read_blobs({{id, -1, "torch: setup.py"}}, source, upstream.console);
    });
  };
  const ObjectId absent = git_blob_id("absent");
  CHECK(refusal(absent) == concat("reading torch: setup.py: blob ", absent.hex(), " was not found"));
  CHECK(refusal(commit) == concat("reading torch: setup.py: blob ", commit.hex(), " is a commit"));
}
