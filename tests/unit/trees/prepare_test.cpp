// SPDX-License-Identifier: BSD-3-Clause
#include "trees/prepare/prepare.h"

#include "forge.h"

#include <sys/stat.h>
#include <unistd.h>

#include <set>

#include "plan/make_plan.h"
#include "record/manifest_file.h"
#include "source/closure/object_source.h"
#include "support/catch.h"
#include "support/digest.h"
#include "support/error.h"
#include "support/text.h"
#include "support/toy_upstream.h"
#include "trees/prepare/patched_tree.h"
#include "trees/verify/verify.h"

namespace torchpatch::trees {

namespace {

/// A prepared toy tree and what it was made of.
struct Workshop {
  Workshop() { upstream.certify(); }

  Prepared prepare_into(const std::string& out, const std::string& board = "small", PlanOptions options = {},
                        int jobs = 2) {
    catalog = upstream.load();
    const Plan plan = plan::make_plan(catalog, "1.1.0", board, "", options);
    source::MirrorSource source({upstream.mirror()}, console);
    PrepareOptions prepare_options;
    prepare_options.output = out;
    prepare_options.jobs = jobs;
    return prepare(catalog, plan, source, prepare_options, console);
  }

  std::string path(const std::string& name) const { return upstream.scratch() + "/" + name; }

  test::ToyUpstream upstream;
  NullConsole console;
  Catalog catalog;
};

/// Has nothing, and keeps what it is asked for.
struct AskedSource : source::ObjectSource {
  const std::vector<std::string>& object_folders() const override { return folders; }
  std::vector<std::string> bring(const std::vector<source::PinnedRepository>& wanted, Console&) override {
    for (const source::PinnedRepository& each : wanted) {
      if (each.may_fetch_recorded) urls.insert(each.url);
      urls.insert(each.moved_urls.begin(), each.moved_urls.end());
    }
    return std::vector<std::string>(wanted.size(), "no");
  }
  std::string describe() const override { return "nowhere"; }
  std::vector<std::string> folders;
  std::set<std::string> urls;
};

/// Every file below two directories with its bytes, mode and time; equal texts mean equal trees.
std::string fingerprint(const std::string& root) {
  std::string text;
  for (const std::string& name : list_files_below(root)) {
    struct stat status {};
    REQUIRE(lstat((root + "/" + name).c_str(), &status) == 0);
    text +=
        concat(name, " ", sha256(read_file(root + "/" + name)).hex(), " ", status.st_mode, " ", status.st_mtime, "\n");
  }
  return text;
}

}  // namespace

TEST_CASE("prepare, prepare_locked: ask for what is recorded of the submodules together with the components",
          "[trees]") {
  Workshop shop;
  const std::string base = "https://example.org/";
  const std::set<std::string> all = {base + "pytorch/pytorch.git", base + "pytorch/vision.git", base + "onnx/onnx.git",
                                     base + "benjaminp/six.git"};
  shop.prepare_into(shop.path("out"));
  AskedSource locked, planned;
  PrepareOptions options;
  options.output = shop.path("again");
  CHECK_THROWS_AS(prepare_locked(shop.path("out/torchpatch/manifest.json"), locked, options, shop.console), Error);
  CHECK(locked.urls == all);
  const Plan plan = plan::make_plan(shop.catalog, "1.1.0", "small", "", {});
  CHECK_THROWS_AS(prepare(shop.catalog, plan, planned, options, shop.console), Error);
  CHECK(planned.urls == all);
}

TEST_CASE("prepare: writes components, submodules at any depth, modes and links", "[trees]") {
  Workshop shop;
  const Prepared prepared = shop.prepare_into(shop.path("out"));

  CHECK(read_file(shop.path("out/pytorch/third_party/onnx/deep/six/six.py")) == "six = 6\n");
  CHECK(read_file(shop.path("out/vision/setup.py")) == "# vision\n");
  CHECK(read_file(shop.path("out/pytorch/no_newline")) == "the end");
  CHECK(access(shop.path("out/pytorch/tools/run.sh").c_str(), X_OK) == 0);
  char target[16] = {};
  CHECK(readlink(shop.path("out/pytorch/tools/latest").c_str(), target, sizeof target) == 6);
  CHECK(std::string(target) == "run.sh");
  CHECK(prepared.manifest.repositories.size() == 4);
  CHECK(prepared.origins.size() == 4);
}

TEST_CASE("prepare: the patched tree is what git apply makes of the pinned one", "[trees]") {
  Workshop shop;
  const Prepared prepared = shop.prepare_into(shop.path("out"));

  const std::string torch = shop.upstream.mirror() + "/torch";
  test::git(torch, {"reset", "-q", "--hard", shop.upstream.torch_commit()});
  for (const ManifestPatch& patch : prepared.manifest.patches)
    test::git(torch, {"apply", "--index", shop.path("out/torchpatch/") + patch.file});
  CHECK(test::git(torch, {"write-tree"}) == prepared.manifest.repositories.front().patched_tree.hex());
  CHECK(read_file(shop.path("out/pytorch/include/limits.h")) == read_file(torch + "/include/limits.h"));
}

TEST_CASE("prepare: names that differ only in case are a warning, also of directories and of what fixes add",
          "[trees]") {
  Workshop shop;
  shop.catalog = shop.upstream.load();
  const Plan plan = plan::make_plan(shop.catalog, "1.1.0", "small", "", {});
  const auto notes_of = [&](const RepositoryPath& repository, const std::string& path) {
    source::MirrorSource source({shop.upstream.mirror()}, shop.console);
    PinnedTree pinned(source::read_closure(*plan.release, plan.components, {}, {}, source, 1, shop.console), source);
    AddedFile added;
    added.repository = repository;
    added.path = path;
    return make_patched_tree(pinned, {}, {added}, shop.console).notes;
  };
  const auto warning = [](const std::string& a, const std::string& b) {
    return std::vector{concat(quote(a), " and ", quote(b),
                              " differ only in case; the tree cannot be copied to a file system that ignores it")};
  };
  const RepositoryPath torch = {Component::torch, ""}, onnx = {Component::torch, "third_party/onnx"};
  CHECK(notes_of(torch, "setup.pyx").empty());
  CHECK(notes_of(torch, "Setup.py") == warning("pytorch/Setup.py", "pytorch/setup.py"));
  CHECK(notes_of(torch, "SETUP.PY/x") == warning("pytorch/SETUP.PY", "pytorch/setup.py"));
  CHECK(notes_of(torch, "third_party/ONNX/x") == warning("pytorch/third_party/ONNX", "pytorch/third_party/onnx"));
  CHECK(notes_of(onnx, "deep/Six") ==
        warning("pytorch/third_party/onnx/deep/Six", "pytorch/third_party/onnx/deep/six"));
}

TEST_CASE("prepare: a board that does not need the patch gets the pinned tree", "[trees]") {
  Workshop shop;
  const Prepared prepared = shop.prepare_into(shop.path("out"), "plain");
  CHECK(prepared.manifest.patches.empty());
  CHECK(prepared.manifest.repositories.front().patched_tree == prepared.manifest.repositories.front().base_tree);
}

TEST_CASE("prepare: the same bytes from any number of jobs, umask and directory", "[trees]") {
  Workshop shop;
  shop.prepare_into(shop.path("one"));
  const mode_t before = umask(077);
  shop.prepare_into(shop.path("two"), "small", {}, 1);
  umask(before);
  CHECK(fingerprint(shop.path("one")) == fingerprint(shop.path("two")));
}

TEST_CASE("prepare: --locked rebuilds the same bytes without a catalog", "[trees]") {
  Workshop shop;
  shop.prepare_into(shop.path("out"));
  PrepareOptions options;
  options.output = shop.path("again");
  source::MirrorSource source({shop.upstream.mirror()}, shop.console);
  prepare_locked(shop.path("out/torchpatch/manifest.json"), source, options, shop.console);
  CHECK(fingerprint(shop.path("out")) == fingerprint(shop.path("again")));
}

TEST_CASE("prepare: --locked derives again what pins, sources and files determine", "[trees]") {
  Workshop shop;
  Manifest forged = shop.prepare_into(shop.path("out")).manifest;
  std::string field;
  const auto forge = [&](const char* name, const auto& change) {
    field = name;
    change();
  };
  SECTION("links") {
    forge("links", [&] { forged.links.push_back({"pytorch/zz", "setup.py"}); });
  }
  SECTION("executables") {
    forge("executables", [&] { forged.executables.clear(); });
  }
  SECTION("base_tree") {
    forge("repositories", [&] { forged.repositories.at(0).base_tree = forged.tree; });
  }
  SECTION("patched_tree") {
    forge("repositories", [&] { forged.repositories.at(0).patched_tree = forged.tree; });
  }
  SECTION("raw_commit") {
    forge("repositories", [&] { forged.repositories.at(0).raw_commit += "\n"; });
  }
  SECTION("licences") {
    forge("repositories", [&] { forged.repositories.at(0).licences = {{"LICENSE", "MIT"}}; });
  }
  SECTION("the URL of a submodule") {
    forge("repositories", [&] { forged.repositories.at(1).url = "https://example.org/evil.git"; });
  }
  SECTION("a repository dropped") {
    forge("repositories", [&] { forged.repositories.erase(forged.repositories.begin() + 2); });
  }
  SECTION("counts") {
    forge("byte_count", [&] { ++forged.byte_count; });
  }
  SECTION("time") {
    forge("timestamp", [&] { ++forged.timestamp; });
  }
  SECTION("trees") {
    forge("trees", [&] { forged.trees.at(Component::vision) = forged.tree; });
  }
  SECTION("tree") {
    forge("tree", [&] { forged.tree = forged.trees.at(Component::vision); });
  }
  SECTION("edges") {
    forge("patches", [&] { forged.patches.at(0).edges.clear(); });
  }
  SECTION("a side file that is executable") {
    forge("side_files", [&] { forged.side_files.at(0).is_executable ^= true; });
  }
  test::forge_manifest(shop.path("out"), forged);
  PrepareOptions options;
  options.output = shop.path("again");
  source::MirrorSource source({shop.upstream.mirror()}, shop.console);
  CHECK_THROWS_WITH(prepare_locked(shop.path("out/torchpatch/manifest.json"), source, options, shop.console),
                    Catch::StartsWith("the manifest does not match the tree that its pins and patches produce: ") &&
                        Catch::Contains(field));
  CHECK_FALSE(is_directory(shop.path("again")));
}

TEST_CASE("prepare: a tree of more bytes than are allowed is refused before it is written", "[trees]") {
  Workshop shop;
  const std::uint64_t bytes = shop.prepare_into(shop.path("out")).manifest.byte_count;
  const auto prepare_with = [&](std::uint64_t max_bytes) {
    PrepareOptions options;
    options.output = shop.path("again");
    options.max_bytes = max_bytes;
    source::MirrorSource source({shop.upstream.mirror()}, shop.console);
    prepare_locked(shop.path("out/torchpatch/manifest.json"), source, options, shop.console);
  };
  CHECK_THROWS_WITH(prepare_with(bytes / 2), Catch::StartsWith("writing '") && Catch::Contains("bytes, more than the"));
  CHECK_FALSE(is_directory(shop.path("again")));
  prepare_with(bytes + 1'000'000);  // numerics.txt and the other files of torchpatch/
  CHECK(is_directory(shop.path("again")));
}

TEST_CASE("prepare: --locked refuses a changed patch copy", "[trees]") {
  Workshop shop;
  const Prepared prepared = shop.prepare_into(shop.path("out"));
  const std::string copy = shop.path("out/torchpatch/") + prepared.manifest.patches.front().file;
  write_file_atomically(copy, read_file(copy) + "\n");
  PrepareOptions options;
  options.output = shop.path("again");
  source::MirrorSource source({shop.upstream.mirror()}, shop.console);
  CHECK_THROWS_WITH(prepare_locked(shop.path("out/torchpatch/manifest.json"), source, options, shop.console),
                    Catch::Contains("is not the file listed in the manifest"));
  CHECK_FALSE(is_directory(shop.path("again")));
}

TEST_CASE("prepare: a patch without a certificate stops it, unless that is allowed", "[trees]") {
  Workshop shop;
  remove_tree(shop.upstream.catalog_directory() + "/patchsets/block-limit/certificates");
  remove_tree(shop.upstream.catalog_directory() + "/results");
  CHECK_THROWS_WITH(shop.prepare_into(shop.path("out")), Catch::Contains("no certificate"));
  CHECK_FALSE(is_directory(shop.path("out")));

  shop.catalog = shop.upstream.load();
  const Plan plan = plan::make_plan(shop.catalog, "1.1.0", "small", "", {});
  source::MirrorSource source({shop.upstream.mirror()}, shop.console);
  PrepareOptions options;
  options.output = shop.path("out");
  options.allow_uncertified = true;
  const Prepared prepared = prepare(shop.catalog, plan, source, options, shop.console);
  CHECK(prepared.manifest.allow_uncertified);
  REQUIRE(prepared.manifest.patches.size() == 2);
  CHECK_FALSE(prepared.manifest.patches.front().is_certified);
}

TEST_CASE("prepare: a fix that has nothing for the release stops it, whatever is allowed", "[trees]") {
  Workshop shop;
  shop.catalog = shop.upstream.load();
  Plan plan = plan::make_plan(shop.catalog, "1.1.0", "small", "", {});
  IssueDecision decision;
  decision.issue = "slow-linear";
  decision.fix = "back-end";
  decision.status = IssueStatus::uncertified;
  decision.reason = "it has no variant for 1.1.0";
  plan.issues.push_back(decision);
  for (const bool allow_uncertified : {false, true}) {
    CHECK_THROWS_WITH(require_certificates(plan, shop.catalog, allow_uncertified),
                      "a fix is not made for release 1.1.0:\n  issue 'slow-linear', fix 'back-end': it has no variant "
                      "for 1.1.0");
  }
  plan.issues.back().variant = "V1";
  CHECK_THROWS_WITH(require_certificates(plan, shop.catalog, false), Catch::Contains("no certificate"));
  CHECK_NOTHROW(require_certificates(plan, shop.catalog, true));
}

TEST_CASE("prepare: a recorded result that differs stops it", "[trees]") {
  Workshop shop;
  const std::string path = shop.upstream.catalog_directory() + "/results/1.1.0.json";
  std::string text = read_file(path);
  const std::size_t tree = text.find("\"torch\": \"") + 10;
  text[tree] = text[tree] == '0' ? '1' : '0';
  write_file_atomically(path, text);
  bool is_refused = false;
  for (const std::string name : {"small", "plain"}) {
    try {
      shop.prepare_into(shop.path(name), name);
    } catch (const Error& error) {
      is_refused = error.kind() == ErrorKind::data;
      CHECK_THAT(error.message(), Catch::Contains("is recorded for it"));
    }
  }
  CHECK(is_refused);
}

TEST_CASE("prepare: --unpatched gives the pinned tree as it is", "[trees]") {
  Workshop shop;
  PlanOptions options;
  options.unpatched = true;
  const Prepared prepared = shop.prepare_into(shop.path("out"), "small", options);
  const std::string torch = shop.upstream.mirror() + "/torch";
  CHECK(prepared.manifest.repositories.front().patched_tree.hex() ==
        test::git(torch, {"rev-parse", shop.upstream.torch_commit() + "^{tree}"}));
}

}  // namespace torchpatch::trees
