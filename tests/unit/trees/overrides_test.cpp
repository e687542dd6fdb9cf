// SPDX-License-Identifier: BSD-3-Clause
// Submodules at another commit, all the way: certify, plan, prepare, verify, rebuild.

#include "forge.h"
#include "plan/make_plan.h"
#include "record/manifest_file.h"
#include "source/closure/object_source.h"
#include "support/catch.h"
#include "support/digest.h"
#include "support/error.h"
#include "support/text.h"
#include "support/toy_upstream.h"
#include "trees/prepare/prepare.h"
#include "trees/verify/verify.h"
#include "upkeep/check/check.h"

namespace torchpatch::trees {

namespace {

const RepositoryPath kOnnx{Component::torch, "third_party/onnx"};

/// The toy with its override, certified.
struct OverrideShop {
  OverrideShop() : what(upstream.add_override()) {
    upstream.certify();
    catalog = upstream.load();
  }

  std::string path(const std::string& name) const { return upstream.scratch() + "/" + name; }

  Prepared prepare_into(const std::string& out, PlanOptions options = {}) {
    const Plan plan = plan::make_plan(catalog, "1.1.0", "plain", "", options);
    source::MirrorSource source({upstream.mirror()}, console);
    PrepareOptions prepare_options;
    prepare_options.output = path(out);
    return prepare(catalog, plan, source, prepare_options, console);
  }

  std::string differences(const std::string& out) {
    std::vector<std::string> lines;
    for (const Difference& difference : verify(
                                            path(out), [this](const auto&) { return catalog; }, {}, console)
                                            .differences)
      lines.push_back(difference.path + " " + difference.reason);
    return join(lines, "\n");
  }

  void forge(const Manifest& forged) { test::forge_manifest(path("out"), forged); }

  test::ToyUpstream upstream;
  SubmoduleOverride what;
  NullConsole console;
  Catalog catalog;
};

const ManifestRepository& row_of(const Manifest& manifest, const RepositoryPath& path) {
  for (const ManifestRepository& repository : manifest.repositories)
    if (repository.path == path) return repository;
  throw Error(ErrorKind::internal, "no such repository");
}

ManifestRepository& row_of(Manifest& manifest, const RepositoryPath& path) {
  return const_cast<ManifestRepository&>(row_of(std::as_const(manifest), path));
}

}  // namespace

TEST_CASE("prepare: takes a submodule, and what lies in it, at the override's commit", "[trees]") {
  OverrideShop shop;
  const Prepared prepared = shop.prepare_into("out");
  CHECK(read_file(shop.path("out/pytorch/third_party/onnx/onnx.h")) == "// another onnx\n");
  CHECK(read_file(shop.path("out/pytorch/third_party/onnx/deep/six/six.py")) == "six = 8\n");

  const ManifestRepository& onnx = row_of(prepared.manifest, kOnnx);
  CHECK(onnx.commit == shop.what.commit);
  CHECK(onnx.url == shop.what.url);
  REQUIRE(onnx.overridden);
  CHECK(onnx.overridden->replaces == shop.what.replaces);
  CHECK(onnx.overridden->patchset == "new-onnx");
  CHECK(onnx.overridden->issues == std::vector<std::string>{"new-onnx"});
  CHECK(prepared.manifest.patches.at(0).is_certified);
  CHECK_THAT(read_file(shop.path("out/torchpatch/KNOWN_ISSUES.md")),
             Catch::Contains("`" + shop.what.commit.hex() +
                             "` of `https://example.org/fork/onnx.git` instead of the "
                             "pinned `" +
                             shop.what.replaces.hex() + "`"));
  // The repository around it still names the pinned commit.
  const ManifestRepository torch = row_of(prepared.manifest, {Component::torch, ""});
  CHECK(torch.patched_tree == torch.base_tree);
}

TEST_CASE("prepare: the inlined tree is of the overridden content", "[trees]") {
  OverrideShop shop;
  const Prepared prepared = shop.prepare_into("out");
  const std::string copy = shop.path("out/pytorch");
  test::git(copy, {"init", "-q"});
  test::git(copy, {"add", "-A", "-f"});
  CHECK(test::git(copy, {"write-tree"}) == prepared.manifest.trees.at(Component::torch).hex());
}

TEST_CASE("prepare: --unpatched takes the pinned submodules, under another plan digest", "[trees]") {
  OverrideShop shop;
  PlanOptions options;
  options.unpatched = true;
  const Prepared pinned = shop.prepare_into("pinned", options);
  CHECK(row_of(pinned.manifest, kOnnx).commit == shop.what.replaces);
  CHECK_FALSE(row_of(pinned.manifest, kOnnx).overridden);
  CHECK(read_file(shop.path("pinned/pytorch/third_party/onnx/deep/six/six.py")) == "six = 6\n");
  CHECK(pinned.manifest.plan != shop.prepare_into("out").manifest.plan);
}

TEST_CASE("prepare: --locked rebuilds a tree with an override", "[trees]") {
  OverrideShop shop;
  shop.prepare_into("out");
  source::MirrorSource source({shop.upstream.mirror()}, shop.console);
  PrepareOptions options;
  options.output = shop.path("again");
  prepare_locked(shop.path("out/torchpatch/manifest.json"), source, options, shop.console);
  for (const std::string name : {"torchpatch/manifest.json", "torchpatch/SHA256SUMS"})
    CHECK(read_file(shop.path("again/" + name)) == read_file(shop.path("out/" + name)));
  CHECK(shop.differences("again") == "");
}

TEST_CASE("prepare: refuses an override that is for another pin, with both ids", "[trees]") {
  OverrideShop shop;
  shop.catalog.patchsets.at("new-onnx").variants.at(0).overrides.at(0).replaces = shop.what.commit;
  try {
    shop.prepare_into("out");
    FAIL("was prepared");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::patch);
    CHECK(error.message() == concat("replacing the commit of submodule torch:third_party/onnx at ",
                                    shop.what.commit.hex(), ": pinned at ", shop.what.replaces.hex(),
                                    ", but the override replaces ", shop.what.commit.hex()));
  }
  CHECK_FALSE(is_directory(shop.path("out")));
}

TEST_CASE("verify: arrives at the pinned commits and at the override's", "[trees]") {
  OverrideShop shop;
  shop.prepare_into("out");
  CHECK(shop.differences("out") == "");
}

TEST_CASE("verify: an override is proven, and compared with the catalog", "[trees]") {
  OverrideShop shop;
  Manifest forged = shop.prepare_into("out").manifest;
  SECTION("left out of the manifest") {
    row_of(forged, kOnnx).overridden.reset();
    shop.forge(forged);
    CHECK_THAT(shop.differences("out"), Catch::Contains("torch base-tree"));
  }
  SECTION("of another pin") {
    row_of(forged, kOnnx).overridden->replaces = shop.what.commit;
    shop.forge(forged);
    const std::string differences = shop.differences("out");
    CHECK_THAT(differences, Catch::Contains("torch base-tree"));
    CHECK_THAT(differences, Catch::Contains("torch:third_party/onnx override-not-in-catalog"));
  }
  SECTION("slipped in with a commit of its own") {
    ManifestRepository& six = row_of(forged, {Component::torch, "third_party/onnx/deep/six"});
    six.overridden = {six.commit, "new-onnx", "N1", {"new-onnx"}};
    six.raw_commit += "\n";
    six.commit = git_object_id("commit", six.raw_commit);
    shop.forge(forged);
    const std::string differences = shop.differences("out");
    CHECK_THAT(differences, Catch::Contains("torch:third_party/onnx/deep/six override-not-in-catalog"));
    CHECK_THAT(differences, !Catch::Contains("base-tree"));
  }
  SECTION("that the plan does not have") {
    shop.catalog.patchsets.at("new-onnx").variants.at(0).releases = *VersionRange::parse(">=9.0");
    CHECK_THAT(shop.differences("out"), Catch::Contains("torchpatch/manifest.json manifest"));
  }
  SECTION("with another reason") {
    row_of(forged, kOnnx).overridden->issues = {"quiet"};
    shop.forge(forged);
    CHECK(shop.differences("out") == "torchpatch/manifest.json manifest");
  }
  SECTION("a changed file of what it took") {
    write_file_atomically(shop.path("out/pytorch/third_party/onnx/onnx.h"), "// evil\n");
    shop.forge(forged);
    CHECK_THAT(shop.differences("out"), Catch::Contains("torch:third_party/onnx base-tree"));
  }
}

TEST_CASE("check: an override that is for another pin is broken", "[trees]") {
  OverrideShop shop;
  const auto cell = [&] {
    source::MirrorSource source({shop.upstream.mirror()}, shop.console);
    const CheckReport report = upkeep::check(shop.catalog, &source, {{}, {"plain"}, 1}, shop.console);
    for (const CheckCell& each : report.cells)
      if (each.issue == "new-onnx") return each;
    throw Error(ErrorKind::internal, "no such cell");
  };
  CHECK(cell().status == CellStatus::applied);
  shop.catalog.patchsets.at("new-onnx").variants.at(0).overrides.at(0).replaces = shop.what.commit;
  CHECK(cell().status == CellStatus::broken);
  CHECK_THAT(cell().reason, Catch::Contains("pinned at " + shop.what.replaces.hex()));
}

TEST_CASE("patch certify: notes which override gave the content before a patch", "[trees]") {
  OverrideShop shop;
  const std::vector<CertificateEdge>& edges = shop.catalog.patchsets.at("new-onnx").certificates;
  REQUIRE(edges.size() == 1);
  CHECK(edges.at(0).overridden == shop.what.commit);
  CHECK(edges.at(0).before == git_blob_id("six = 7\n"));
  CHECK(edges.at(0).after == git_blob_id("six = 8\n"));
  for (const CertificateEdge& edge : shop.catalog.patchsets.at("block-limit").certificates)
    CHECK_FALSE(edge.overridden);
}

}  // namespace torchpatch::trees
