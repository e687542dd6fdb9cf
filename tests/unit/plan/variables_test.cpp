// SPDX-License-Identifier: BSD-3-Clause
#include "plan/variables.h"

#include "catalog/load_catalog.h"
#include "plan/make_plan.h"
#include "support/catch.h"
#include "support/error.h"
#include "support/source_directory.h"
#include "unit/plan/plan_fixture.h"

namespace torchpatch::plan {
namespace {

using namespace test;

/// Releases 1.1.0 and 1.9.0, both with verified lists: USE_NCCL in both, NO_CUDA in 1.1.0, USE_CUDA and USE_GLOO in
/// 1.9.0, where vision reads NVCC_FLAGS as well.
Catalog catalog_with_flags() {
  Catalog catalog = make_catalog();
  catalog.releases.at(version("1.1.0")).flags = {{"NO_CUDA", "a.py:1"}, {"USE_NCCL", "a.py:2"}};
  catalog.releases.at(version("1.9.0")).flags = {
      {"NVCC_FLAGS", "vision:setup.py:3"}, {"USE_CUDA", "b.py:1"}, {"USE_GLOO", "b.py:2"}, {"USE_NCCL", "b.py:3"}};
  for (auto& [version, release] : catalog.releases) release.sources = {{{"flags"}, "the tag", true}};
  catalog.variables.never_read = {{"CXX_FLAGS", {"CXXFLAGS", "NO_CUDA"}}};
  catalog.variables.of_tools = {"PATH", "LDFLAGS", "CFLAGS", "CXXFLAGS", "USE_*"};
  return catalog;
}

Catalog catalog_without_prefix() {
  Catalog catalog = catalog_with_flags();
  catalog.variables.of_tools.pop_back();
  return catalog;
}

std::string unread(const Catalog& catalog, const std::string& release, const std::string& name) {
  return reading_of(catalog, catalog.release(release), name).unread;
}

TEST_CASE("reading_of: a variable is read, known not to be read, or unknown") {
  const Catalog catalog = catalog_without_prefix();
  CHECK(reading_of(catalog, catalog.release("1.1.0"), "NO_CUDA").read_at == "a.py:1");
  CHECK(unread(catalog, "1.1.0", "NO_CUDA").empty());
  CHECK(unread(catalog, "1.9.0", "NO_CUDA") == "release 1.9.0 does not read it; 1.1.0 does");
  CHECK(unread(catalog, "1.9.0", "CXX_FLAGS") == "release 1.9.0 does not read it; no release does");
  CHECK(unread(catalog, "1.9.0", "MY_OWN").empty());
  CHECK(reading_of(catalog, catalog.release("1.9.0"), "MY_OWN").read_at.empty());
}

TEST_CASE("reading_of: what tools read, and where nobody looked, is unknown") {
  Catalog catalog = catalog_with_flags();
  CHECK(unread(catalog, "1.1.0", "USE_GLOO").empty());
  catalog.variables.of_tools.pop_back();
  CHECK_FALSE(unread(catalog, "1.1.0", "USE_GLOO").empty());
  Release& release = catalog.releases.at(version("1.1.0"));
  CHECK_FALSE(unread(catalog, "1.1.0", "NVCC_FLAGS").empty());
  release.sources.push_back({{"flags.USE_NCCL"}, "a neighbour", false});
  CHECK(unread(catalog, "1.1.0", "NVCC_FLAGS").empty());
  CHECK_FALSE(unread(catalog, "1.1.0", "USE_GLOO").empty());
  release.sources.front().verified = false;
  CHECK(unread(catalog, "1.1.0", "USE_GLOO").empty());
}

TEST_CASE("releases_reading: names runs of releases") {
  Catalog catalog = catalog_with_flags();
  CHECK(releases_reading(catalog, "USE_NCCL") == "1.1.0 to 1.9.0");
  CHECK(releases_reading(catalog, "USE_GLOO") == "1.9.0");
  CHECK(releases_reading(catalog, "MY_OWN").empty());
  Release between = catalog.release("1.1.0");
  between.version = version("1.5.0");
  between.flags.clear();
  catalog.releases.emplace(between.version, between);
  CHECK(releases_reading(catalog, "USE_NCCL") == "1.1.0 and 1.9.0");
}

TEST_CASE("other_names: says what a variable is called in another release") {
  const Catalog catalog = catalog_with_flags();
  const auto names = [&](const char* release, const char* name) {
    return other_names(catalog, catalog.release(release), name);
  };
  CHECK(names("1.9.0", "NO_CUDA") == std::vector<std::string>{"USE_CUDA"});
  CHECK(names("1.1.0", "USE_CUDA") == std::vector<std::string>{"NO_CUDA"});
  CHECK(names("1.1.0", "CXX_FLAGS") == std::vector<std::string>{"NO_CUDA"});
  CHECK(names("1.1.0", "USE_GLOO").empty());
}

TEST_CASE("misspelt_names: is about names that nobody knows alone") {
  const Catalog catalog = catalog_without_prefix();
  CHECK(misspelt_names(catalog, "USE_NCLL") == std::vector<std::string>{"USE_NCCL"});
  CHECK(misspelt_names(catalog, "UES_NCCL") == std::vector<std::string>{"USE_NCCL"});
  CHECK(misspelt_names(catalog, "NVCC__FLGS").front() == "NVCC_FLAGS");
  CHECK(misspelt_names(catalog, "USE_GLOO").empty());
  CHECK(misspelt_names(catalog, "USE_GLUE").empty());
  CHECK(misspelt_names(catalog, "PATH").empty());
  CHECK(misspelt_names(catalog, "MY_OWN_PATH").empty());
}

std::pair<std::string, std::string> error_of(const std::string& release, const std::string& name) {
  PlanOptions options;
  options.settings = {{name, "0"}};
  try {
    make_plan(catalog_without_prefix(), release, "duo", "", options);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::usage);
    return {error.message(), error.hint()};
  }
  return {};
}

TEST_CASE("make_plan: --set refuses what the release is known not to read, and misspelt names") {
  CHECK(error_of("1.9.0", "NO_CUDA") ==
        std::pair<std::string, std::string>{"--set NO_CUDA: release 1.9.0 does not read it; 1.1.0 does",
                                            "this release reads 'USE_CUDA'; --force-set NO_CUDA=0 sets it anyway"});
  CHECK(error_of("1.1.0", "USE_GLOO") ==
        std::pair<std::string, std::string>{"--set USE_GLOO: release 1.1.0 does not read it; 1.9.0 does",
                                            "remove it; --force-set USE_GLOO=0 sets it anyway"});
  CHECK(error_of("1.1.0", "USE_NCLL") ==
        std::pair<std::string, std::string>{"--set USE_NCLL: no known release reads it",
                                            "did you mean 'USE_NCCL'? --force-set USE_NCLL=0 sets it anyway"});
  CHECK(error_of("1.1.0", "MY_OWN") == std::pair<std::string, std::string>{});
  CHECK(error_of("1.1.0", "_PYTHON_HOST_PLATFORM") == std::pair<std::string, std::string>{});
}

TEST_CASE("make_plan: --force-set sets what the release does not read, what a fix sets is left out") {
  Catalog catalog = catalog_without_prefix();
  add_issue(catalog, "gloo", {}, {environment_fix("off", "USE_GLOO", "0")});
  PlanOptions options;
  options.settings = {{"USE_NCLL", "1"}, {"USE_CUDA", "0"}};
  options.forced_settings = {"USE_NCLL", "USE_CUDA"};
  const Plan plan = make_plan(catalog, "1.1.0", "duo", "", options);
  std::map<std::string, bool> exported;
  for (const PlannedSetting& setting : plan.environment) exported[setting.name] = is_exported(setting);
  CHECK(exported.at("USE_CUDA"));
  CHECK(exported.at("USE_NCLL"));
  CHECK_FALSE(exported.at("USE_GLOO"));
}

TEST_CASE("reading_of: a patch of the plan may make the release read a variable") {
  const Catalog catalog = catalog_without_prefix();
  Plan plan;
  plan.release = &catalog.release("1.1.0");
  Patch patch;
  patch.file = "T/0001.patch";
  plan.patches.push_back({"p", "T", &patch, {}, {}});
  const auto reading = [&](const std::string& text) {
    patch.text = text;
    return reading_of(catalog, plan, "USE_GLOO");
  };
  CHECK(reading(" if $USE_GLOO\n+  if [ \"$USE_GLOO\" ]\n").read_at == "patch p/T/0001.patch");
  CHECK(reading(" if $USE_GLOO\n+  if [ \"$USE_GLOO\" ]\n").unread.empty());
  CHECK(reading("-  if [ \"$USE_GLOO\" ]\n+  $USE_GLOO_X $NOUSE_GLOO\n").read_at.empty());
  CHECK_FALSE(reading("USE_GLOO").unread.empty());
}

TEST_CASE("make_plan: options of compiler and linker add up, with both origins") {
  Catalog catalog = catalog_with_flags();
  add_issue(catalog, "atomic", {}, {environment_fix("off", "LDFLAGS", "-latomic")});
  add_issue(catalog, "atomic-too", {}, {environment_fix("again", "LDFLAGS", "-latomic")});
  PlanOptions options;
  options.settings = {{"LDFLAGS", "-s"}, {"CFLAGS", "-O2"}};
  const Plan plan = make_plan(catalog, "1.1.0", "duo", "", options);
  const auto setting = [&](const std::string& name) {
    return *std::ranges::find(plan.environment, name, &PlannedSetting::name);
  };
  CHECK(setting("LDFLAGS").value == "-latomic -s");
  CHECK(setting("LDFLAGS").origin == "issue atomic and --set");
  CHECK(setting("LDFLAGS").why == "why LDFLAGS; set on the command line");
  CHECK(origins_of(setting("LDFLAGS")) == std::vector<std::string>{"issue atomic", "--set"});
  CHECK(setting("CFLAGS").value == "-O2");
  CHECK(plan.warnings.empty());
}

TEST_CASE("the shipped catalog: what a board, a release or a default fix sets is read, or left out with the reason") {
  const Catalog catalog = catalog::load_catalog({{"shipped", torchpatch::test::source_directory()}});
  PlanOptions options;
  options.force = true;
  std::set<std::string> left_out;
  for (const auto& [version, release] : catalog.releases) {
    for (const auto& [id, board] : catalog.boards) {
      for (const Image& image : board.images) {
        for (const PlannedSetting& setting : make_plan(catalog, version.text(), id, image.id, options).environment)
          if (!is_exported(setting)) left_out.insert(concat(version.text(), " ", setting.origin, " ", setting.name));
      }
    }
  }
  CHECK(left_out == std::set<std::string>{});
}

TEST_CASE("the shipped catalog: names of releases that are near each other are no misspellings, those of notes are") {
  const Catalog catalog = catalog::load_catalog({{"shipped", torchpatch::test::source_directory()}});
  for (const std::string name : {"USE_GLOO", "USE_GLOG", "NO_NNPACK", "NO_QNNPACK", "PATH", "LD_LIBRARY_PATH", "FFLAGS",
                                 "CCACHE_DIR", "PIP_INDEX_URL", "PYTHONPATH", "OPENBLAS_NUM_THREADS", "MAKEFLAGS", "FC",
                                 "_PYTHON_HOST_PLATFORM", "USE_KLEIDIAI", "BUILD_IGNORE_SVE_UNAVAILABLE"}) {
    INFO(name);
    CHECK(misspelt_names(catalog, name) == std::vector<std::string>{});
  }
  CHECK(misspelt_names(catalog, "USE_NCLL").front() == "USE_NCCL");
  CHECK(misspelt_names(catalog, "USE_MKLDN").front() == "USE_MKLDNN");
}

}  // namespace
}  // namespace torchpatch::plan
