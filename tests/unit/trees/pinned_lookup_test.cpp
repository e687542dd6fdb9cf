// SPDX-License-Identifier: BSD-3-Clause
#include "source/closure/pinned_lookup.h"

#include "source/closure/object_source.h"
#include "support/catch.h"
#include "support/text.h"
#include "support/toy_upstream.h"

using namespace torchpatch;
using source::LocatedRepository;
using source::PinnedEntry;
using source::PinnedLookup;

namespace {

struct Looking {
  test::ToyUpstream upstream;
  Catalog catalog = upstream.load();
  NullConsole console;

  const Release& release() const { return catalog.releases.begin()->second; }
  /// Runs `task` in a worker over the folders below `mirror`.
  source::LookupResult run(const std::string& mirror, const std::function<std::string(PinnedLookup&)>& task) {
    source::MirrorSource source({mirror}, console);
    const source::LookupTask each = [&](PinnedLookup& lookup, std::size_t) { return task(lookup); };
    return source::run_lookups(1, each, {}, source, 1, console).at(0);
  }
  std::string run(const std::function<std::string(PinnedLookup&)>& task) { return run(upstream.mirror(), task).bytes; }
};

std::string show(const std::optional<PinnedEntry>& entry) {
  return entry ? concat(name_of(entry->mode), " ", entry->path) : "nothing";
}

}  // namespace

TEST_CASE("PinnedLookup: finds files, links, directories and gitlinks, and nothing else") {
  Looking looking;
  const std::string found = looking.run([&](PinnedLookup& lookup) {
    const LocatedRepository& torch = *lookup.find_repository(looking.release(), {Component::torch, ""});
    std::string text;
    for (const char* path : {"setup.py", "tools/run.sh", "tools/latest", "tools", "third_party/onnx", "absent",
                             "setup.py/below", "third_party/onnx/onnx.h", ""})
      text += show(lookup.find(torch, path)) + "\n";
    return text;
  });
  CHECK(found ==
        "100644 setup.py\n100755 tools/run.sh\n120000 tools/latest\n40000 tools\n160000 third_party/onnx\nnothing\n"
        "nothing\nnothing\nnothing\n");
}

TEST_CASE("PinnedLookup: reads through gitlinks, whatever the repositories are called") {
  Looking looking;
  const std::string found = looking.run([&](PinnedLookup& lookup) {
    const LocatedRepository& six =
        *lookup.find_repository(looking.release(), {Component::torch, "third_party/onnx/deep/six"});
    return concat(six.pin.url, " ", lookup.read_blob(six, *lookup.find(six, "six.py")));
  });
  CHECK(found == "https://example.org/benjaminp/six.git six = 6\n");
}

TEST_CASE("PinnedLookup: knows which repositories there are not") {
  Looking looking;
  const std::string found = looking.run([&](PinnedLookup& lookup) {
    std::string text;
    for (const char* path : {"third_party", "third_party/onnx/deep", "third_party/none", "setup.py", "tools/latest"})
      text += lookup.find_repository(looking.release(), {Component::torch, path}) ? "yes " : "no ";
    return text + (lookup.find_repository(looking.release(), {Component::audio, ""}) ? "yes" : "no");
  });
  CHECK(found == "no no no no no no");
}

TEST_CASE("PinnedLookup: lists what lies below a directory") {
  Looking looking;
  const std::string found = looking.run([&](PinnedLookup& lookup) {
    const LocatedRepository& torch = *lookup.find_repository(looking.release(), {Component::torch, ""});
    std::string text;
    for (const char* path : {"tools", "third_party", "setup.py", "absent"})
      for (const PinnedEntry& entry : lookup.list(torch, path)) text += show(entry) + "\n";
    return text;
  });
  CHECK(found == "120000 tools/latest\n100755 tools/run.sh\n160000 third_party/onnx\n");
}

TEST_CASE("run_lookups: tells which commits are nowhere, and runs on where the task catches it") {
  Looking looking;
  const RepositoryPath onnx{Component::torch, "third_party/onnx"};
  const source::LookupResult result = looking.run(looking.upstream.mirror() + "/torch", [&](PinnedLookup& lookup) {
    std::string text = lookup.find_repository(looking.release(), {Component::torch, ""}) ? "torch" : "";
    try {
      lookup.find_repository(looking.release(), onnx);
    } catch (const source::MissingObject& missing) {
      text += ", then: " + missing.message().substr(0, missing.message().find(" at "));
    }
    return text;
  });
  CHECK(result.bytes == "torch, then: reading torch:third_party/onnx");
  REQUIRE(result.missing.size() == 1);
  CHECK(result.missing[0].repository.path == onnx);
  CHECK_THAT(source::missing_text(result.missing[0]),
             Catch::StartsWith("torch:third_party/onnx: commit ") &&
                 Catch::Contains(" of 'https://example.org/onnx/onnx.git': the commit ") &&
                 Catch::EndsWith(" was not found; not in any mirror"));
}
