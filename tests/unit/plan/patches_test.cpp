// SPDX-License-Identifier: BSD-3-Clause
#include "plan/fix_choice.h"
#include "plan/make_plan.h"
#include "support/catch.h"
#include "support/text.h"
#include "unit/plan/plan_fixture.h"

namespace torchpatch::plan {
namespace {

using namespace test;

/// Returns the digests' first digits in the order of application: "ab".
std::string order_of(const Plan& plan) {
  std::string digits;
  for (const PlannedPatch& patch : plan.patches) digits += patch.patch->sha256.hex().front();
  return digits;
}

TEST_CASE("make_plan: a certified variant is applied, with its edges") {
  Catalog catalog = make_catalog();
  add_patchset(catalog, "p", ">=1.1", "ab").certificates = {edge('a', "x.py", '3', '4'), edge('a', "y.py", '5', '6'),
                                                            edge('b', "x.py", '4', '7', 'a')};
  add_issue(catalog, "i", {}, {patch_fix("f", "p")});
  const Plan plan = make_plan(catalog, "1.1.0", "duo", "", {});
  CHECK(plan.issues.at(0).status == IssueStatus::applied);
  CHECK(plan.issues.at(0).variant == "v");
  CHECK(order_of(plan) == "ab");
  CHECK(plan.patches.at(0).edges.size() == 2);
  CHECK(plan.patches.at(1).edges.at(0).before == object_id('4'));
  CHECK(plan.patches.at(1).patchset == "p");
  CHECK(plan.patches.at(1).variant == "v");
}

TEST_CASE("make_plan: certificates decide, not the variant's range") {
  Catalog catalog = make_catalog();
  Patchset& patchset = add_patchset(catalog, "p", "<1.2", "a");
  patchset.variants.push_back({"other", range(">=1.2"), {{"b.patch", digest_of('b'), {}, "text"}}, {}});
  patchset.certificates = {edge('b', "x.py", '3', '4')};
  add_issue(catalog, "i", {}, {patch_fix("f", "p")});
  const Plan plan = make_plan(catalog, "1.1.0", "duo", "", {});
  CHECK(plan.issues.at(0).status == IssueStatus::applied);
  CHECK(plan.issues.at(0).variant == "other");
  CHECK(order_of(plan) == "b");
}

TEST_CASE("make_plan: without certificates the variant of the range is planned as uncertified") {
  Catalog catalog = make_catalog();
  Patchset& patchset = add_patchset(catalog, "p", ">=1.1", "ab");
  add_issue(catalog, "i", {}, {patch_fix("f", "p")});
  const auto decide = [&] { return make_plan(catalog, "1.1.0", "duo", "", {}); };
  SECTION("none at all") {
    const Plan plan = decide();
    CHECK(plan.issues.at(0).status == IssueStatus::uncertified);
    CHECK(plan.issues.at(0).reason == "variant v: patch 'v/a.patch' has no certificate for torch at 111111111111");
    CHECK(plan.issues.at(0).fix == "f");
    CHECK(plan.issues.at(0).kind == FixKind::patch);
    CHECK(plan.issues.at(0).variant == "v");
    CHECK(order_of(plan) == "ab");
    CHECK(plan.patches.at(0).edges.empty());
  }
  SECTION("only of the first patch") {
    patchset.certificates = {edge('a', "x.py", '3', '4')};
    CHECK(decide().issues.at(0).status == IssueStatus::uncertified);
    CHECK(decide().patches.at(0).edges.empty());
  }
  SECTION("only of another commit") {
    patchset.certificates = {edge('a', "x.py", '3', '4'), edge('b', "y.py", '3', '4')};
    CHECK(decide().issues.at(0).status == IssueStatus::applied);
    patchset.certificates.at(1).commit = object_id('9');
    CHECK(decide().issues.at(0).status == IssueStatus::uncertified);
  }
  SECTION("of another chain") {
    patchset.certificates = {edge('a', "x.py", '3', '4'), edge('b', "x.py", '3', '5')};
    CHECK(decide().issues.at(0).reason ==
          "variant v: patch 'v/b.patch' has no certificate for 'x.py' as the previous patches leave that file");
  }
  SECTION("of another blob of the chain") {
    patchset.certificates = {edge('a', "x.py", '3', '4'), edge('b', "x.py", '8', '5', 'a')};
    CHECK(decide().issues.at(0).status == IssueStatus::uncertified);
  }
}

TEST_CASE("make_plan: an issue whose patchset has no variant for the release is uncertified, without patches") {
  Catalog catalog = make_catalog();
  add_patchset(catalog, "p", ">=1.2", "a");
  add_issue(catalog, "i", {}, {patch_fix("f", "p")});
  const Plan plan = make_plan(catalog, "1.1.0", "duo", "", {});
  CHECK(plan.issues.at(0).status == IssueStatus::uncertified);
  CHECK(plan.issues.at(0).reason == "no variant of 'p' is made for 1.1.0");
  CHECK(plan.issues.at(0).fix == "f");
  CHECK(plan.patches.empty());
}

TEST_CASE("make_plan: patchsets that meet in a file take the edges of their chain") {
  Catalog catalog = make_catalog();
  add_patchset(catalog, "p", "*", "a").certificates = {edge('a', "x.py", '3', '4')};
  add_patchset(catalog, "q", "*", "b").certificates = {edge('b', "x.py", '3', '5'), edge('b', "x.py", '4', '6', 'a')};
  add_issue(catalog, "i", {}, {patch_fix("f", "p")});
  add_issue(catalog, "j", {}, {patch_fix("g", "q")});
  const Plan both = make_plan(catalog, "1.1.0", "duo", "", {});
  CHECK(both.patches.at(1).edges.at(0).after == object_id('6'));
  PlanOptions options;
  options.without_fixes = {"f"};
  const Plan one = make_plan(catalog, "1.1.0", "duo", "", options);
  REQUIRE(one.patches.size() == 1);
  CHECK(one.patches.at(0).edges.at(0).after == object_id('5'));
}

TEST_CASE("make_plan: an edge that follows a patch does not fit where that patch is not applied") {
  Catalog catalog = make_catalog();
  add_patchset(catalog, "q", "*", "b").certificates = {edge('b', "x.py", '4', '6', 'a')};
  add_issue(catalog, "j", {}, {patch_fix("g", "q")});
  CHECK(make_plan(catalog, "1.1.0", "duo", "", {}).issues.at(0).status == IssueStatus::uncertified);
}

TEST_CASE("make_plan: a file that one patch creates and the next deletes is a chain too") {
  Catalog catalog = make_catalog();
  CertificateEdge create = edge('a', "x.py", '3', '4'), remove = edge('b', "x.py", '4', '5', 'a');
  create.before.reset();
  remove.after.reset();
  add_patchset(catalog, "p", "*", "ab").certificates = {create, remove};
  add_issue(catalog, "i", {}, {patch_fix("f", "p")});
  CHECK(make_plan(catalog, "1.1.0", "duo", "", {}).issues.at(0).status == IssueStatus::applied);
}

TEST_CASE("make_plan: a patchset that two issues name is there once, for both") {
  Catalog catalog = make_catalog();
  add_patchset(catalog, "p", "*", "a").certificates = {edge('a', "x.py", '3', '4')};
  add_issue(catalog, "i", {}, {patch_fix("f", "p")});
  add_issue(catalog, "j", {}, {patch_fix("g", "p")});
  const Plan plan = make_plan(catalog, "1.1.0", "duo", "", {});
  REQUIRE(plan.patches.size() == 1);
  CHECK(plan.patches.at(0).issues == std::vector<std::string>{"i", "j"});
  CHECK(plan.issues.at(1).variant == "v");
  PlanOptions options;
  options.without_fixes = {"f"};
  CHECK(make_plan(catalog, "1.1.0", "duo", "", options).patches.at(0).issues == std::vector<std::string>{"j"});
}

TEST_CASE("make_plan: patchsets are applied behind those they come after, and otherwise by id") {
  Catalog catalog = make_catalog();
  for (const std::string id : {"a", "b", "c", "d"}) {
    add_patchset(catalog, id, "*", id);
    add_issue(catalog, "for-" + id, {}, {patch_fix("fix-" + id, id)});
  }
  const auto order = [&] { return order_of(make_plan(catalog, "1.1.0", "duo", "", {})); };
  CHECK(order() == "abcd");
  catalog.patchsets.at("a").after = {"c"};
  CHECK(order() == "bcad");
  catalog.patchsets.at("c").after = {"d"};
  CHECK(order() == "bdca");
  catalog.patchsets.at("b").after = {"a", "d"};  // a diamond
  CHECK(order() == "dcab");
}

TEST_CASE("order_patchsets: waits only for those that are there, and ends on a circle") {
  Catalog catalog = make_catalog();
  for (const std::string id : {"a", "b", "c"}) add_patchset(catalog, id, "*", id);
  catalog.patchsets.at("a").after = {"c"};
  CHECK(order_patchsets(catalog, {"a", "b"}) == std::vector<std::string>{"a", "b"});
  catalog.patchsets.at("c").after = {"a"};
  CHECK(order_patchsets(catalog, {"a", "b", "c"}) == std::vector<std::string>{"b", "a", "c"});
}

TEST_CASE("make_plan: added files need no certificate") {
  Catalog catalog = make_catalog();
  Patchset& patchset = catalog.patchsets["p"];
  patchset.id = "p";
  patchset.variants.push_back({"v", range("<1.5"), {}, {{"files/a", {}, "torch/a.py", false, digest_of('a'), "a"}}});
  Fix fix = patch_fix("f", "p");
  fix.kind = FixKind::files;
  add_issue(catalog, "i", {}, {fix});
  const Plan plan = make_plan(catalog, "1.1.0", "duo", "", {});
  CHECK(plan.issues.at(0).status == IssueStatus::applied);
  REQUIRE(plan.files.size() == 1);
  CHECK(plan.files.at(0).file->path == "torch/a.py");
  CHECK(plan.files.at(0).issues == std::vector<std::string>{"i"});
  CHECK(make_plan(catalog, "1.9.0", "duo", "", {}).issues.at(0).status == IssueStatus::uncertified);
}

TEST_CASE("make_plan: a fix for a component that is not prepared does not apply") {
  Catalog catalog = make_catalog();
  add_patchset(catalog, "p", "*", "ab").certificates = {edge('a', "x.py", '3', '4'), edge('b', "y.py", '3', '4')};
  Patch& second = catalog.patchsets.at("p").variants.at(0).patches.at(1);
  second.repository.component = Component::vision;
  catalog.patchsets.at("p").certificates.at(1).repository.component = Component::vision;
  catalog.patchsets.at("p").certificates.at(1).commit = object_id('2');
  add_issue(catalog, "i", {}, {patch_fix("f", "p")});
  PlanOptions options;
  CHECK(order_of(make_plan(catalog, "1.1.0", "duo", "", options)) == "ab");
  options.components = {Component::vision};
  CHECK(order_of(make_plan(catalog, "1.1.0", "duo", "", options)) == "b");
  catalog.patchsets.at("p").variants.at(0).patches.pop_back();
  const Plan plan = make_plan(catalog, "1.1.0", "duo", "", options);
  CHECK(plan.patches.empty());
  CHECK(plan.issues.at(0).status == IssueStatus::not_affected);
  CHECK(plan.issues.at(0).reason == "the component that fix 'f' changes is not prepared");
}

}  // namespace
}  // namespace torchpatch::plan
