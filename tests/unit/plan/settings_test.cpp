// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "plan/make_plan.h"
#include "support/catch.h"
#include "support/error.h"
#include "unit/plan/plan_fixture.h"

namespace torchpatch::plan {
namespace {

using Catch::Contains;
using namespace test;

PlannedSetting setting(const Plan& plan, const std::string& name) {
  const auto found = std::find_if(plan.environment.begin(), plan.environment.end(),
                                  [&](const PlannedSetting& candidate) { return candidate.name == name; });
  REQUIRE(found != plan.environment.end());
  return *found;
}

TEST_CASE("make_plan: the environment says where each variable comes from and where it is read") {
  Catalog catalog = make_catalog();
  add_issue(catalog, "no-nccl", {}, {environment_fix("off", "USE_NCCL", "0")});
  PlanOptions options;
  options.settings = {{"MAX_JOBS", "2"}, {"gcc", "7.5"}};
  const Plan plan = make_plan(catalog, "1.1.0", "duo", "", options);
  REQUIRE(plan.environment.size() == 4);
  CHECK(plan.environment.at(0).name == "PYTORCH_BUILD_VERSION");
  CHECK(plan.environment.at(0).origin == "release 1.1.0");
  CHECK(plan.environment.at(1).name == "TORCH_CUDA_ARCH_LIST");
  CHECK(plan.environment.at(1).origin == "board duo");
  CHECK(plan.environment.at(2).value == "0");
  CHECK(plan.environment.at(2).origin == "issue no-nccl");
  CHECK(plan.environment.at(2).why == "why USE_NCCL");
  CHECK(plan.environment.at(2).read_at == "setup.py:9");
  CHECK(plan.environment.at(3).origin == "--set");
  CHECK(plan.environment.at(3).read_at.empty());
}

TEST_CASE("make_plan: a fix that is not used sets nothing") {
  Catalog catalog = make_catalog();
  add_issue(catalog, "no-nccl", needs_flag("cross", true), {environment_fix("off", "USE_NCCL", "0")});
  CHECK(make_plan(catalog, "1.1.0", "duo", "", {}).environment.size() == 2);
}

TEST_CASE("make_plan: release < board < issues < --set, and each difference is a warning") {
  Catalog catalog = make_catalog();
  catalog.releases.at(version("1.1.0")).environment = {{"X", "release"}};
  catalog.boards.at("duo").environment = {{"X", "board"}};
  PlanOptions options;
  const auto plan = [&] { return make_plan(catalog, "1.1.0", "duo", "", options); };
  CHECK(setting(plan(), "X").value == "board");
  CHECK(plan().warnings ==
        std::vector<std::string>{"X is 'board', as board duo has it, not 'release', as release 1.1.0 has it"});
  add_issue(catalog, "b", {}, {environment_fix("fix-b", "X", "b")});
  add_issue(catalog, "a", {}, {environment_fix("fix-a", "X", "a")});
  CHECK(setting(plan(), "X").origin == "issue b");
  CHECK(plan().warnings.size() == 3);
  options.settings = {{"X", "mine"}};
  CHECK(setting(plan(), "X").value == "mine");
  CHECK(setting(plan(), "X").origin == "--set");
  CHECK(plan().environment.size() == 1);
  CHECK(plan().warnings.size() == 4);
}

TEST_CASE("make_plan: equal values from two origins are no conflict") {
  Catalog catalog = make_catalog();
  add_issue(catalog, "a", {}, {environment_fix("fix-a", "TORCH_CUDA_ARCH_LIST", "6.2")});
  const Plan plan = make_plan(catalog, "1.1.0", "duo", "", {});
  CHECK(plan.warnings.empty());
  CHECK(setting(plan, "TORCH_CUDA_ARCH_LIST").origin == "issue a");
}

Catalog catalog_with_versions() {
  Catalog catalog = make_catalog();
  Release& release = catalog.releases.at(version("1.1.0"));
  release.components[Component::audio] = release.components.at(Component::vision);
  release.components.at(Component::vision).environment = {{"BUILD_VERSION", "0.3.0"}};
  release.components.at(Component::audio).environment = {{"BUILD_VERSION", "0.2.0"}};
  release.flags = {{"BUILD_VERSION", "vision:setup.py:44"}};
  return catalog;
}

TEST_CASE("make_plan: a component's variable is that component's, and no place of another's is told of it") {
  const Catalog catalog = catalog_with_versions();
  const Plan plan = make_plan(catalog, "1.1.0", "duo", "", {});
  REQUIRE(plan.environment.size() == 4);
  CHECK(plan.environment.at(1).component == Component::vision);
  CHECK(plan.environment.at(1).value == "0.3.0");
  CHECK(plan.environment.at(1).origin == "release 1.1.0");
  CHECK(plan.environment.at(1).why == "set only in the build of vision");
  CHECK(plan.environment.at(2).component == Component::audio);
  CHECK(plan.environment.at(2).value == "0.2.0");
  CHECK(plan.environment.at(1).read_at == "vision:setup.py:44");
  CHECK(plan.environment.at(2).read_at.empty());
  CHECK_FALSE(plan.environment.at(3).component.has_value());
  CHECK(plan.warnings.empty());
  PlanOptions options;
  options.components = {Component::torch, Component::audio};
  CHECK(setting(make_plan(catalog, "1.1.0", "duo", "", options), "BUILD_VERSION").value == "0.2.0");
}

TEST_CASE("make_plan: a variable of every build stands beside a component's, and a later one takes its place") {
  Catalog catalog = catalog_with_versions();
  catalog.releases.at(version("1.1.0")).environment = {{"BUILD_VERSION", "1.1.0"}};
  CHECK(make_plan(catalog, "1.1.0", "duo", "", {}).environment.size() == 4);
  PlanOptions options;
  options.settings = {{"BUILD_VERSION", "0.2.0"}};
  const Plan plan = make_plan(catalog, "1.1.0", "duo", "", options);
  REQUIRE(plan.environment.size() == 2);
  CHECK(plan.environment.at(0).origin == "--set");
  CHECK_FALSE(plan.environment.at(0).component.has_value());
  CHECK(plan.warnings ==
        std::vector<std::string>{
            "BUILD_VERSION is '0.2.0', as --set has it, not '1.1.0', as release 1.1.0 has it",
            "BUILD_VERSION is '0.2.0', as --set has it, not '0.3.0', as release 1.1.0 has it for vision"});
}

TEST_CASE("make_plan: refuses variables that no environment can hold") {
  const Catalog catalog = make_catalog();
  const auto error_of = [&](const std::string& name, const std::string& value) {
    PlanOptions options;
    options.settings = {{name, value}};
    try {
      make_plan(catalog, "1.1.0", "duo", "", options);
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::usage);
      return error.message();
    }
    return std::string("no error");
  };
  CHECK_THAT(error_of("Use_nccl", "0"), Contains("--set 'Use_nccl' is not a variable name"));
  CHECK_THAT(error_of("USE_X", "a\nb"), Contains("--set USE_X: 'a\\nb' is not one line of UTF-8"));
  CHECK_THAT(error_of("USE_X", "\xff"), Contains("is not one line of UTF-8"));
  CHECK_THAT(error_of("USE_X", "a\u202Eb"), Contains("is not one line of UTF-8 text without hidden characters"));
  CHECK_THAT(error_of("", "0"), Contains("is not a fact"));
}

}  // namespace
}  // namespace torchpatch::plan
