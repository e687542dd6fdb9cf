// SPDX-License-Identifier: BSD-3-Clause
#include "plan/judge_advisories.h"

#include "plan/make_plan.h"
#include "support/catch.h"
#include "unit/plan/plan_fixture.h"

namespace torchpatch::plan {
namespace {

using namespace test;

/// An advisory on torch, published for releases before 1.5 and judged up to 1.8; fixed in 1.5.
Advisory& add_judged_advisory(Catalog& catalog) {
  Advisory& advisory = catalog.advisories["CVE-2022-1"];
  advisory.about.id = "CVE-2022-1";
  advisory.about.fixed_in = version("1.5");
  advisory.affected = {range("<1.5")};
  advisory.judged = range("<1.9.0");
  return advisory;
}

AdvisoryDecision judgement(const Catalog& catalog, const PlanOptions& options = {}) {
  const Plan plan = make_plan(catalog, "1.1.0", "duo", "", options);
  REQUIRE(plan.advisories.size() == 1);
  return plan.advisories.front();
}

std::string judgement_text(const Catalog& catalog, const PlanOptions& options = {}) {
  return judgement(catalog, options).text();
}

TEST_CASE("judge_advisories: the ranges decide, and only a citation of the release verifies it") {
  const std::string unverified = "; unverified: the sources of this release were not read";
  Catalog catalog = make_catalog();
  Advisory& advisory = add_judged_advisory(catalog);
  CHECK(judgement_text(catalog) == "affected: release 1.1.0 is in <1.5; fixed in 1.5" + unverified);
  advisory.citations.present = {{"1.9.0", "setup.py:1", "import"}};
  CHECK_FALSE(judgement(catalog).is_verified);
  advisory.citations.absent = {{"1.1.0", "setup.py", ""}};
  advisory.about.fixed_in.reset();
  CHECK(judgement_text(catalog) == "affected: release 1.1.0 is in <1.5; no release is known to fix it");
  advisory.affected = {range(">=1.2 <1.3"), range(">=1.4")};
  CHECK(judgement_text(catalog) == "not affected: release 1.1.0 is not in >=1.2 <1.3 or >=1.4");
  advisory.notes = {{range(">=1.2"), "other"}, {range("<1.2"), "it has no safe mode"}};
  CHECK(judgement(catalog).note == "it has no safe mode");
  advisory.affected = {range("<1.0")};
  advisory.about.fixed_in = version("1.0");
  CHECK(judgement(catalog).reason == "fixed in 1.0");
  advisory.judged = range(">=1.2");
  CHECK(judgement_text(catalog) == "not judged: not yet judged for release 1.1.0");
}

TEST_CASE("judge_advisories: a build without the code is not affected, one that may have it is") {
  Catalog catalog = make_catalog();
  add_judged_advisory(catalog).when = needs_flag("distributed", true);
  CHECK(judgement(catalog).status == AdvisoryStatus::affected);
  PlanOptions options;
  options.settings = {{"distributed", "false"}};
  CHECK(judgement(catalog, options).status == AdvisoryStatus::not_built);
  CHECK(judgement(catalog, options).reason == "distributed is false, not true");
}

TEST_CASE("judge_advisories: a patch of the plan fixes it, advice and a declined patch do not") {
  Catalog catalog = make_catalog();
  Advisory& advisory = add_judged_advisory(catalog);
  advisory.about.issue = "evaluates";
  add_patchset(catalog, "refuse", ">=1.1.0 <1.2.0", "a").certificates = {edge('a', "f.py", 'b', 'c')};
  add_issue(catalog, "evaluates", {}, {patch_fix("refuse", "refuse")});
  CHECK(judgement(catalog).status == AdvisoryStatus::fixed);
  CHECK(judgement(catalog).reason == "known issue evaluates");
  PlanOptions options;
  options.unpatched = true;
  CHECK(judgement(catalog, options).status == AdvisoryStatus::affected);
  catalog.patchsets.at("refuse").certificates.clear();
  CHECK(judgement(catalog).status == AdvisoryStatus::affected);
  catalog.issues.at("evaluates").fixes = {advice("trust")};
  CHECK(judgement(catalog).status == AdvisoryStatus::affected);
}

TEST_CASE("judge_advisories: nothing of components that are left out, and stand-ins have no code of upstream's") {
  Catalog catalog = make_catalog();
  add_judged_advisory(catalog).about.repository.component = Component::vision;
  PlanOptions options;
  options.components = {Component::torch};
  CHECK(make_plan(catalog, "1.1.0", "duo", "", options).advisories.empty());
  catalog.releases.at(version("1.1.0")).stand_in = "A sample.";
  CHECK(judgement_text(catalog) == "not affected: it stands in for upstream and contains none of its code");
}

}  // namespace
}  // namespace torchpatch::plan
