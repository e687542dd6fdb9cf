// SPDX-License-Identifier: BSD-3-Clause
#include "plan/make_plan.h"
#include "support/catch.h"
#include "support/error.h"
#include "support/text.h"
#include "unit/plan/plan_fixture.h"

namespace torchpatch::plan {
namespace {

using namespace test;

const RepositoryPath kOnnx{Component::torch, "third_party/onnx"};

SubmoduleOverride take(char commit, const RepositoryPath& repository = kOnnx) {
  return {repository, object_id('5'), object_id(commit), "https://example.org/onnx.git"};
}

/// Patchset "p" of one variant for 1.1.0 that overrides onnx, with a patch there for each digit; fix "f" of issue "i".
Catalog make_overriding_catalog(const std::string& patches = "") {
  Catalog catalog = make_catalog();
  Patchset& patchset = add_patchset(catalog, "p", "<1.2", patches);
  patchset.variants.at(0).overrides = {take('6')};
  for (Patch& patch : patchset.variants.at(0).patches) patch.repository = kOnnx;
  add_issue(catalog, "i", {}, {patch_fix("f", "p")});
  return catalog;
}

CertificateEdge onnx_edge(char patch, char before, char after, char overridden = '-') {
  CertificateEdge certified = edge(patch, "x.h", before, after);
  certified.repository = kOnnx;
  if (overridden != '-') certified.overridden = object_id(overridden);
  return certified;
}

Plan plan_of(const Catalog& catalog, const PlanOptions& options = {}) {
  return make_plan(catalog, "1.1.0", "duo", "", options);
}

TEST_CASE("make_plan: an override alone answers an issue") {
  const Catalog catalog = make_overriding_catalog();
  const Plan plan = plan_of(catalog);
  CHECK(plan.issues.at(0).status == IssueStatus::applied);
  CHECK(plan.issues.at(0).variant == "v");
  REQUIRE(plan.overrides.size() == 1);
  CHECK(*plan.overrides.at(0).what == take('6'));
  CHECK(plan.overrides.at(0).issues == std::vector<std::string>{"i"});
  PlanOptions options;
  options.unpatched = true;
  CHECK(plan_of(catalog, options).overrides.empty());
  options = {};
  options.components = {Component::vision};
  CHECK(plan_of(catalog, options).overrides.empty());
  CHECK(plan_of(catalog, options).issues.at(0).status == IssueStatus::not_affected);
}

TEST_CASE("canonical_text: an override is a line behind the pins") {
  const Catalog catalog = make_overriding_catalog();
  PlanOptions options;
  options.components = {Component::torch};
  CHECK(canonical_text(plan_of(catalog, options)) == concat("torchpatch plan 1\ncomponent\ttorch\t",
                                                            std::string(40, '1'), "\noverride\t", std::string(40, '6'),
                                                            "\ttorch:third_party/onnx\n"));
}

TEST_CASE("make_plan: a patch in an overridden submodule takes the edges of that override alone") {
  Catalog catalog = make_overriding_catalog("a");
  std::vector<CertificateEdge>& edges = catalog.patchsets.at("p").certificates;
  SECTION("its own") {
    edges = {onnx_edge('a', '3', '4'), onnx_edge('a', '7', '8', '6')};
    CHECK(plan_of(catalog).issues.at(0).status == IssueStatus::applied);
    CHECK(plan_of(catalog).patches.at(0).edges.at(0).before == object_id('7'));
  }
  SECTION("not those of the pinned content") {
    edges = {onnx_edge('a', '3', '4')};
    CHECK(plan_of(catalog).issues.at(0).status == IssueStatus::uncertified);
    CHECK(plan_of(catalog).issues.at(0).reason ==
          "variant v: patch 'v/a.patch' has no certificate for torch at 111111111111 with torch:third_party/onnx at "
          "666666666666");
  }
  SECTION("not those of another override") {
    edges = {onnx_edge('a', '7', '8', '9')};
    CHECK(plan_of(catalog).issues.at(0).status == IssueStatus::uncertified);
  }
}

TEST_CASE("make_plan: the patch of another patchset does not take the edges of the pinned content either") {
  Catalog catalog = make_overriding_catalog();
  // "a-first" is applied before the patchset with the override.
  add_patchset(catalog, "a-first", "*", "a").certificates = {onnx_edge('a', '3', '4')};
  Patch& patch = catalog.patchsets.at("a-first").variants.at(0).patches.at(0);
  patch.repository = kOnnx;
  add_issue(catalog, "j", {}, {patch_fix("g", "a-first")});
  CHECK(plan_of(catalog).issues.at(1).status == IssueStatus::uncertified);
  PlanOptions options;
  options.without_fixes = {"f"};
  CHECK(plan_of(catalog, options).issues.at(1).status == IssueStatus::applied);

  // In a repository below it: the same. Beside it: not.
  for (const auto& [path, status] : {std::pair("third_party/onnx/deep/six", IssueStatus::uncertified),
                                     std::pair("third_party/onnx-other", IssueStatus::applied)}) {
    patch.repository.path = path;
    catalog.patchsets.at("a-first").certificates.at(0).repository.path = path;
    CHECK(plan_of(catalog).issues.at(1).status == status);
  }
}

TEST_CASE("make_plan: certificates choose no variant with overrides for another release") {
  Catalog catalog = make_overriding_catalog("a");
  Patchset& patchset = catalog.patchsets.at("p");
  patchset.certificates = {onnx_edge('a', '3', '4')};
  patchset.variants.at(0).releases = range(">=1.9");
  CHECK(plan_of(catalog).overrides.empty());
  CHECK(plan_of(catalog).issues.at(0).reason == "no variant of 'p' is made for 1.1.0");
}

TEST_CASE("make_plan: certificates choose no other variant where one with overrides is for the release") {
  Catalog catalog = make_overriding_catalog();
  Patchset& patchset = catalog.patchsets.at("p");
  patchset.variants.insert(patchset.variants.begin(), {"other", range(">=1.9"), {{"b", digest_of('b'), {}, ""}}, {}});
  patchset.certificates = {edge('b', "x.py", '3', '4')};
  CHECK(plan_of(catalog).issues.at(0).variant == "v");
}

TEST_CASE("make_plan: two patchsets may ask for one override, but not for two of a submodule") {
  Catalog catalog = make_overriding_catalog();
  add_patchset(catalog, "q", "*", "").variants.at(0).overrides = {take('6')};
  add_issue(catalog, "j", {}, {patch_fix("g", "q")});
  REQUIRE(plan_of(catalog).overrides.size() == 1);
  CHECK(plan_of(catalog).overrides.at(0).issues == std::vector<std::string>{"i", "j"});

  catalog.patchsets.at("q").variants.at(0).overrides = {take('7')};
  try {
    plan_of(catalog);
    FAIL("was planned");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::patch);
    CHECK(error.message() ==
          concat("two fixes override the submodule torch:third_party/onnx differently: patchset 'p' uses ",
                 std::string(40, '6'), " for ", std::string(40, '5'), ", patchset 'q' uses ", std::string(40, '7'),
                 " for ", std::string(40, '5')));
    CHECK(error.hint() == "drop one of them with --without FIX");
  }
  PlanOptions options;
  options.without_fixes = {"f"};
  CHECK(plan_of(catalog, options).overrides.at(0).what->commit == object_id('7'));
}

TEST_CASE("find_override: the deepest one decides") {
  const RepositoryPath deep{Component::torch, "third_party/onnx/deep/six"};
  const std::vector<SubmoduleOverride> overrides = {take('7', deep), take('6')};
  CHECK(find_override(overrides, deep)->commit == object_id('7'));
  CHECK(find_override(overrides, kOnnx)->commit == object_id('6'));
  CHECK(find_override(overrides, {Component::torch, ""}) == nullptr);
  CHECK(find_override(overrides, {Component::vision, "third_party/onnx"}) == nullptr);
}

}  // namespace
}  // namespace torchpatch::plan
