// SPDX-License-Identifier: BSD-3-Clause
#include "plan/make_plan.h"
#include "support/catch.h"
#include "support/error.h"
#include "unit/plan/plan_fixture.h"

namespace torchpatch::plan {
namespace {

using Catch::Contains;
using namespace test;

IssueDecision decide(const Catalog& catalog, const PlanOptions& options = {}) {
  const Plan plan = make_plan(catalog, "1.1.0", "duo", "", options);
  REQUIRE(plan.issues.size() == 1);
  return plan.issues.front();
}

TEST_CASE("make_plan: an issue applies, with release and facts as the reason") {
  Catalog catalog = make_catalog();
  add_issue(catalog, "threads", needs_range("registers_per_block", "<65536"), {advice("less")});
  const IssueDecision decision = decide(catalog);
  CHECK(decision.issue == "threads");
  CHECK(decision.status == IssueStatus::applied);
  CHECK(decision.reason == "release 1.1.0 is in *; registers_per_block is 32768 (<65536)");
  CHECK(decision.fix == "less");
  CHECK(decision.kind == FixKind::advice);
}

TEST_CASE("make_plan: an issue of other releases or facts is not affected") {
  Catalog catalog = make_catalog();
  Issue& issue = add_issue(catalog, "threads", needs_range("registers_per_block", ">=65536"), {advice("less")});
  CHECK(decide(catalog).status == IssueStatus::not_affected);
  CHECK(decide(catalog).reason == "registers_per_block is 32768, not >=65536");
  issue.releases = {range(">=1.5 <1.7"), range("1.9.0")};
  CHECK(decide(catalog).reason == "release 1.1.0 is not in >=1.5 <1.7 or 1.9.0");
  CHECK(decide(catalog).fix.empty());
}

TEST_CASE("make_plan: an issue on an unknown fact is undecided, with a warning") {
  Catalog catalog = make_catalog();
  add_issue(catalog, "old-libc", needs_range("glibc", "<2.34"), {advice("less")});
  const Plan plan = make_plan(catalog, "1.1.0", "duo", "", {});
  CHECK(plan.issues.at(0).status == IssueStatus::undecided);
  CHECK(plan.issues.at(0).reason == "glibc is not known");
  CHECK(plan.warnings == std::vector<std::string>{"issue 'old-libc' is undecided: glibc is not known"});
  PlanOptions options;
  options.settings = {{"glibc", "2.23"}};
  CHECK(decide(catalog, options).status == IssueStatus::applied);
}

TEST_CASE("make_plan: --with settles an undecided issue") {
  Catalog catalog = make_catalog();
  add_issue(catalog, "old-libc", needs_range("glibc", "<2.34"), {advice("less")});
  PlanOptions options;
  options.with_fixes = {"less"};
  CHECK(decide(catalog, options).status == IssueStatus::applied);
  CHECK(decide(catalog, options).reason == "--with, though glibc is not known");
}

TEST_CASE("make_plan: the first fix that is not optional and whose condition holds answers") {
  Catalog catalog = make_catalog();
  Fix for_new_gcc = advice("for-new-gcc");
  for_new_gcc.when = needs_range("gcc", ">=8");
  add_issue(catalog, "x", {}, {optional_advice("on-request"), for_new_gcc, advice("usual"), advice("other")});
  CHECK(decide(catalog).fix == "usual");
  PlanOptions options;
  options.with_fixes = {"other"};
  CHECK(decide(catalog, options).fix == "other");
  options.with_fixes = {"on-request"};
  CHECK(decide(catalog, options).fix == "on-request");
  options.with_fixes = {"for-new-gcc"};
  CHECK(decide(catalog, options).fix == "for-new-gcc");
}

TEST_CASE("make_plan: a fix whose condition is unknown leaves the issue undecided") {
  Catalog catalog = make_catalog();
  Fix for_old_libc = advice("for-old-libc");
  for_old_libc.when = needs_range("glibc", "<2.34");
  add_issue(catalog, "x", {}, {for_old_libc, advice("usual")});
  CHECK(decide(catalog).status == IssueStatus::undecided);
  CHECK(decide(catalog).reason == "fix 'for-old-libc': glibc is not known");
}

TEST_CASE("make_plan: an issue that no fix answers by default is declined") {
  Catalog catalog = make_catalog();
  Fix for_new_gcc = advice("for-new-gcc");
  for_new_gcc.when = needs_range("gcc", ">=8");
  add_issue(catalog, "x", {}, {for_new_gcc, optional_advice("on-request"), optional_advice("second")});
  CHECK(decide(catalog).status == IssueStatus::declined);
  CHECK(decide(catalog).reason ==
        "no fix is used by default: fix 'for-new-gcc': gcc is 5.4, not >=8; optional: --with on-request or --with "
        "second");
}

TEST_CASE("make_plan: --without declines the fix, and no other takes its place") {
  Catalog catalog = make_catalog();
  add_issue(catalog, "x", {}, {advice("usual"), advice("other")});
  PlanOptions options;
  options.without_fixes = {"usual"};
  CHECK(decide(catalog, options).status == IssueStatus::declined);
  CHECK(decide(catalog, options).reason == "--without usual");
  CHECK(decide(catalog, options).fix.empty());
}

TEST_CASE("make_plan: --with and --without that make no difference are warnings") {
  Catalog catalog = make_catalog();
  add_issue(catalog, "x", needs_range("gcc", ">=8"), {advice("usual"), advice("other")});
  PlanOptions options;
  options.with_fixes = {"usual"};
  options.without_fixes = {"other"};
  CHECK(make_plan(catalog, "1.1.0", "duo", "", options).warnings ==
        std::vector<std::string>{"--with usual has no effect: gcc is 5.4, not >=8",
                                 "--without other has no effect: the fix is not used here"});
}

TEST_CASE("make_plan: wrong names of fixes are usage errors") {
  Catalog catalog = make_catalog();
  add_issue(catalog, "x", {}, {advice("usual"), advice("other")});
  PlanOptions options;
  SECTION("unknown") {
    options.with_fixes = {"usaul"};
    CHECK_THROWS_WITH(decide(catalog, options), "--with 'usaul': no issue has this fix");
    options = {};
    options.without_fixes = {"nothing-like-it"};
    CHECK_THROWS_WITH(decide(catalog, options), "--without 'nothing-like-it': no issue has this fix");
  }
  SECTION("with and without") {
    options.with_fixes = {"usual"};
    options.without_fixes = {"usual"};
    CHECK_THROWS_WITH(decide(catalog, options), "--with usual and --without usual cannot be used together");
  }
  SECTION("two of one issue") {
    options.with_fixes = {"usual", "other"};
    CHECK_THROWS_WITH(decide(catalog, options),
                      "--with other and --with usual both fix the issue 'x'; use one of them");
  }
}

TEST_CASE("make_plan: --unpatched declines what changes the tree, and nothing else") {
  Catalog catalog = make_catalog();
  add_patchset(catalog, "p", "*", "a");
  add_issue(catalog, "changes", {}, {patch_fix("fix-it", "p")});
  add_issue(catalog, "sets", {}, {environment_fix("set-it", "USE_NCCL", "0")});
  PlanOptions options;
  options.unpatched = true;
  const Plan plan = make_plan(catalog, "1.1.0", "duo", "", options);
  CHECK(plan.patches.empty());
  CHECK(plan.issues.at(0).status == IssueStatus::declined);
  CHECK(plan.issues.at(0).reason == "--unpatched: fix 'fix-it' changes the tree");
  CHECK(plan.issues.at(1).status == IssueStatus::applied);
}

TEST_CASE("make_plan: steps after the build carry their issue and fix") {
  Catalog catalog = make_catalog();
  Fix fix = advice("rename");
  fix.kind = FixKind::post_build;
  fix.commands = {"mv a b"};
  add_issue(catalog, "x", {}, {fix});
  const Plan plan = make_plan(catalog, "1.1.0", "duo", "", {});
  REQUIRE(plan.steps.size() == 1);
  CHECK(plan.steps.at(0).issue == "x");
  CHECK(plan.steps.at(0).fix == "rename");
  CHECK_FALSE(plan.steps.at(0).after_wheel);
  CHECK(plan.steps.at(0).commands == std::vector<std::string>{"mv a b"});
}

TEST_CASE("make_plan: commands of a fix that adds files run after the wheel") {
  Catalog catalog = make_catalog();
  Patchset& patchset = add_patchset(catalog, "p", ">=1.9", "");
  patchset.variants.at(0).files = {{"files/a.py", {}, "a.py", false, digest_of('f'), "bytes"}};
  Fix fix = patch_fix("overlay", "p");
  fix.kind = FixKind::files;
  fix.commands = {"make -C a"};
  fix.when = needs_range("release", ">=1.9");
  add_issue(catalog, "x", {}, {fix});

  const Plan plan = make_plan(catalog, "1.9.0", "duo", "", {});
  REQUIRE(plan.steps.size() == 1);
  CHECK(plan.steps.at(0).after_wheel);
  CHECK(plan.files.size() == 1);

  const Plan before = make_plan(catalog, "1.1.0", "duo", "", {});
  CHECK(before.steps.empty());
  CHECK(before.issues.at(0).reason == "no fix is used by default: fix 'overlay': release is 1.1.0, not >=1.9");

  PlanOptions options;
  options.with_fixes = {"overlay"};
  const Plan asked = make_plan(catalog, "1.1.0", "duo", "", options);
  CHECK(asked.steps.empty());
  CHECK(asked.issues.at(0).status == IssueStatus::uncertified);
  CHECK(asked.issues.at(0).reason == "no variant of 'p' is made for 1.1.0");
}

}  // namespace
}  // namespace torchpatch::plan
