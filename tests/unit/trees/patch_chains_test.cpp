// SPDX-License-Identifier: BSD-3-Clause
#include "trees/prepare/patch_chains.h"

#include "support/catch.h"
#include "support/text.h"

using namespace torchpatch;
using trees::PatchChain;

namespace {

Patch patch_of(const std::string& file, const std::string& path, const std::string& repository = "torch") {
  return {file,
          {},
          *RepositoryPath::parse(repository),
          concat("diff --git a/", path, " b/", path, "\n--- a/", path, "\n+++ b/", path, "\n@@ -1 +1 @@\n-a\n+b\n")};
}

/// A patchset of one variant for every release, and an issue that it answers.
void add(Catalog& catalog, const std::string& id, std::vector<Patch> patches, const std::string& issue) {
  Patchset& patchset = catalog.patchsets[id];
  patchset.id = id;
  patchset.variants.push_back({"V", *VersionRange::parse("*"), std::move(patches), {}, {}});
  Fix fix;
  fix.id = id + "-fix";
  fix.kind = FixKind::patch;
  fix.patchset = id;
  catalog.issues[issue].id = issue;
  catalog.issues[issue].fixes.push_back(fix);
}

std::string show(const std::vector<PatchChain>& chains) {
  std::vector<std::string> texts;
  for (const PatchChain& chain : chains) {
    std::vector<std::string> names;
    for (const PlannedPatch& each : chain.patches) names.push_back(each.patch->file);
    texts.push_back(join(names, "+"));
  }
  return join(texts, " ");
}

Release release() {
  Release release;
  release.version = *Version::parse("1.1.0");
  return release;
}

}  // namespace

TEST_CASE("PatchMeetings: patches meet in a file, and where one's file is the other's directory") {
  trees::PatchMeetings meetings;
  const Patch file = patch_of("1", "a/b"), same = patch_of("2", "a/b"), beside = patch_of("3", "a/c"),
              below = patch_of("4", "a/b/c"), other = patch_of("5", "a/b", "vision");
  CHECK(meetings.meet(file, same));
  CHECK(meetings.meet(file, below));
  CHECK(meetings.meet(below, file));
  CHECK_FALSE(meetings.meet(file, beside));
  CHECK_FALSE(meetings.meet(file, other));
}

TEST_CASE("PatchMeetings: splits a sequence into chains, and keeps its order") {
  trees::PatchMeetings meetings;
  const Patch a = patch_of("a", "x"), b = patch_of("b", "y"), c = patch_of("c", "x"), d = patch_of("d", "z");
  std::vector<PlannedPatch> sequence;
  for (const Patch* patch : {&a, &b, &c, &d}) sequence.push_back({"set", "V", patch, {}, {}});
  CHECK(show(meetings.chains_of(sequence)) == "a+c b d");
}

TEST_CASE("chains_of_release: each variant alone, and those that meet together") {
  Catalog catalog;
  add(catalog, "p1", {patch_of("1", "x"), patch_of("1b", "w")}, "one");
  add(catalog, "p2", {patch_of("2", "x")}, "two");
  add(catalog, "p3", {patch_of("3", "y")}, "three");
  trees::PatchMeetings meetings;
  const Release pinned = release();
  const trees::ReleaseChains chains = trees::chains_of_release(catalog, pinned, meetings);
  CHECK(show(chains.needed) == "1 1b 2 3");
  CHECK(show(chains.possible) == "1+2");
}

TEST_CASE("chains_of_release: a patch in a submodule that another variant overrides is a chain of its own there") {
  const RepositoryPath onnx = *RepositoryPath::parse("torch:third_party/onnx");
  const SubmoduleOverride what{onnx, {}, *ObjectId::parse(std::string(40, '6')), "https://example.org/onnx.git"};
  Catalog catalog;
  add(catalog, "p1", {patch_of("1", "x", "torch:third_party/onnx/deep/six"), patch_of("1b", "x")}, "one");
  add(catalog, "p2", {}, "two");
  catalog.patchsets.at("p2").variants.at(0).overrides = {what};
  trees::PatchMeetings meetings;
  const Release pinned = release();
  const auto possible = [&] {
    std::vector<PatchChain> chains = trees::chains_of_release(catalog, pinned, meetings).possible;
    std::erase_if(chains, [](const PatchChain& chain) { return chain.patches.empty(); });
    return chains;
  };
  REQUIRE(show(possible()) == "1");
  CHECK(possible().at(0).overrides == std::vector<SubmoduleOverride>{what});

  // Another override of the same submodule: no plan has both.
  add(catalog, "p3", {}, "three");
  catalog.patchsets.at("p3").variants.at(0).overrides = {what};
  CHECK(show(possible()) == "1");
  catalog.patchsets.at("p3").variants.at(0).overrides.at(0).commit = *ObjectId::parse(std::string(40, '7'));
  CHECK(show(possible()) == "1 1");
  for (const PatchChain& chain : possible()) CHECK(chain.overrides.size() == 1);
}

TEST_CASE("chains_of_release: an override without patches is possible, and needed only where a plan has it") {
  Catalog catalog;
  add(catalog, "p1", {}, "one");
  const RepositoryPath onnx = *RepositoryPath::parse("torch:third_party/onnx");
  catalog.patchsets.at("p1").variants.at(0).overrides = {
      {onnx, {}, *ObjectId::parse(std::string(40, '6')), "https://example.org/onnx.git"}};
  trees::PatchMeetings meetings;
  const Release pinned = release();
  const trees::ReleaseChains chains = trees::chains_of_release(catalog, pinned, meetings);
  CHECK(chains.needed.empty());
  REQUIRE(chains.possible.size() == 1);
  CHECK(chains.possible.at(0).repository == onnx);
}

TEST_CASE("chains_of_release: two fixes of one issue never come together") {
  Catalog catalog;
  add(catalog, "p1", {patch_of("1", "x")}, "one");
  add(catalog, "p2", {patch_of("2", "x")}, "one");
  trees::PatchMeetings meetings;
  const Release pinned = release();
  CHECK(trees::chains_of_release(catalog, pinned, meetings).possible.empty());
}

TEST_CASE("chains_of_release: of six that meet, pairs only") {
  Catalog catalog;
  for (const char* id : {"1", "2", "3", "4", "5", "6"}) add(catalog, id, {patch_of(id, "x")}, concat("issue", id));
  trees::PatchMeetings meetings;
  const Release pinned = release();
  const trees::ReleaseChains chains = trees::chains_of_release(catalog, pinned, meetings);
  CHECK(chains.possible.size() == 15);
}
