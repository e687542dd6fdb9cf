// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <set>

#include "catalog/load_catalog.h"
#include "plan/make_plan.h"
#include "support/catch.h"
#include "support/error.h"
#include "support/find.h"
#include "support/source_directory.h"
#include "support/text.h"
#include "trees/doctor/doctor.h"
#include "trees/prepare/manifest.h"

using namespace torchpatch;
namespace {

VersionRange range_of(const std::string& text) { return *VersionRange::parse(text); }

Issue make_issue(const std::string& id, const std::string& fact, const std::string& range, FixKind kind) {
  Issue issue;
  issue.id = id;
  issue.severity = "build-failure";
  issue.symptoms = {id};
  issue.releases = {range_of(">=1")};
  issue.when = {{fact, range_of(range), fact + " " + range}};
  Fix fix;
  fix.id = "fix-" + id;
  fix.kind = kind;
  fix.summary = "Answer " + id;
  issue.fixes = {fix};
  return issue;
}

/// A release with a bound of gcc, a board, and what is known of newer compilers and Pythons.
Catalog make_catalog() {
  Catalog catalog;
  Release release;
  release.version = *Version::parse("1.8.0");
  release.python = {"3.6", "3.7"};
  release.components[Component::torch] = release.components[Component::audio] = {};
  release.build_tools = {{"gcc", range_of(">=5 <11")}, {"pyyaml", range_of("<6")}};
  release.imports[Component::torch] = {{"yaml", "gen.py:4"}};
  release.flags = {{"USE_MPI", "CMakeLists.txt:9"}};
  catalog.releases[release.version] = release;
  Board board;
  board.id = "small";
  board.arch = "armv7l";
  board.cpu_flags = "-mcpu=cortex-a9";
  Image image;
  image.id = "old";
  image.os = "ubuntu-18.04";
  image.glibc = *Version::parse("2.27");
  image.gcc = *Version::parse("7.5");
  image.python = {*Version::parse("3.6")};
  board.images = {image};
  catalog.boards["small"] = board;
  BuildSize build;
  build.release = release.version;
  build.arch = board.arch;
  build.disk_mib = 4000;
  build.is_measured = true;
  catalog.build_sizes.builds = {build};
  for (const Issue& each : {make_issue("gcc-12", "gcc", ">=12", FixKind::advice),
                            make_issue("gcc-9", "gcc", ">=9 <10", FixKind::environment),
                            make_issue("uname-of-32bit-userland", "bits", "32", FixKind::advice),
                            make_issue("python-3.11", "python", ">=3.11", FixKind::advice),
                            make_issue("pyyaml-6", "python", ">=3.6", FixKind::advice)})
    catalog.issues[each.id] = each;
  return catalog;
}

Manifest make_manifest() {
  Manifest manifest;
  manifest.release = "1.8.0";
  manifest.board = "small";
  manifest.image = "old";
  manifest.python = "3.6";
  manifest.components = {Component::torch, Component::audio};
  manifest.target = {{"arch", "armv7l"}, {"cpu_flags", "-mcpu=cortex-a9"}, {"os", "ubuntu-18.04"}};
  manifest.tool_bounds = {{"gcc", ">=5 <11"}};
  return manifest;
}

std::vector<HostRequirement> requirements_of(const Manifest& manifest, const Catalog& catalog = make_catalog()) {
  const trees::HostPlan on_host = trees::plan_on_host(catalog, trees::target_of(manifest), {});
  return trees::host_requirements(catalog, manifest, on_host.plan);
}

/// "gcc: 0 too old FAIL; 5 ok"
std::string steps_of(const std::vector<HostRequirement>& requirements, const std::string& name) {
  const auto found = std::ranges::find(requirements, name, &HostRequirement::name);
  REQUIRE(found != requirements.end());
  std::vector<std::string> texts;
  for (const HostStep& step : found->steps)
    texts.push_back(
        concat(step.from, " ", step.verdict, step.fails ? " FAIL" : "", step.issue.empty() ? "" : " ", step.issue));
  return join(texts, "; ");
}

}  // namespace

TEST_CASE("host_requirements: doctor's answer at each version where it changes") {
  const auto requirements = requirements_of(make_manifest());
  CHECK(steps_of(requirements, "gcc") ==
        "0 too old FAIL; 5 ok; 9 has a known issue FAIL gcc-9; 10 ok; 11 too new FAIL; 12 too new FAIL gcc-12");
  CHECK(steps_of(requirements, "python") == "0 too old FAIL; 3.6 ok; 3.7 too new FAIL; 3.11 too new FAIL python-3.11");
  CHECK(steps_of(requirements, "glibc") == "0 ok; 2.27.0.1 too new FAIL");
}

TEST_CASE("host_requirements: a fix that this tree has answers its issue") {
  Manifest manifest = make_manifest();
  manifest.issues = {{"gcc-9", IssueStatus::applied, "", "fix-gcc-9", FixKind::environment, ""}};
  CHECK(steps_of(requirements_of(manifest), "gcc") == "0 too old FAIL; 5 ok; 11 too new FAIL; 12 too new FAIL gcc-12");
}

TEST_CASE("host_requirements: a machine, what is imported, what variables turn on") {
  std::vector<std::string> lines;
  for (const HostRequirement& each : requirements_of(make_manifest())) {
    if (!each.steps.empty()) continue;
    lines.push_back(concat(name_of(each.probe), " ", each.name, " ", each.wanted, " ", each.source, " ",
                           each.fails ? "FAIL" : "WARN", " ", each.issue));
  }
  CHECK(lines ==
        std::vector<std::string>{
            "same arch armv7l image old FAIL ", "same kernel armv7l image old FAIL uname-of-32bit-userland",
            "same python-abi 32-bit armv7l image old FAIL ", "same os ubuntu-18.04 image old WARN ",
            "size memory 2048 rule of thumb FAIL ", "size disk 4000 rule of thumb WARN ",
            "works make ninja or make release 1.8.0 FAIL ", "works python-headers Python.h release 1.8.0 FAIL ",
            "works python-specs the files of its compiler flags release 1.8.0 FAIL ",
            "works wheel bdist_wheel setup.py of each component FAIL ", "import import-yaml yaml gen.py:4 FAIL ",
            "works flags a compiler that accepts CFLAGS and CXXFLAGS build.env FAIL ",
            "cpu cpu -mcpu=cortex-a9 board small FAIL ", "library USE_MPI libopenmpi-dev CMakeLists.txt:9 FAIL "});
}

TEST_CASE(
    "host_requirements: what scikit-build-core builds needs it and build, what setup.py builds needs bdist_wheel") {
  Catalog catalog = make_catalog();
  Release& release = catalog.releases.begin()->second;
  release.components[Component::torch].front_end = {FrontEndKind::scikit_build_core, ""};
  release.build_tools.emplace("scikit-build-core", range_of(">=1.0"));
  const auto names_of_all = [&](std::vector<Component> components) {
    Manifest manifest = make_manifest();
    manifest.components = std::move(components);
    std::set<std::string> names;
    for (const HostRequirement& each : requirements_of(manifest, catalog)) names.insert(each.name);
    return names;
  };
  const std::set<std::string> both = names_of_all({Component::torch, Component::audio});
  for (const char* name : {"wheel", "import-build", "import-scikit_build_core", "scikit-build-core"})
    CHECK(both.contains(name));
  CHECK_FALSE(names_of_all({Component::torch}).contains("wheel"));
  CHECK_FALSE(names_of_all({Component::audio}).contains("import-build"));
  Manifest manifest = make_manifest();
  const auto all = requirements_of(manifest, catalog);
  const HostRequirement* const front_end =
      find_where(all, [](const HostRequirement& each) { return each.name == "import-scikit_build_core"; });
  REQUIRE(front_end != nullptr);
  CHECK(front_end->component == Component::torch);
  CHECK(front_end->install == "pip:scikit-build-core>=1.0");
}

TEST_CASE("host_requirements: a cross build asks nothing of the kernel and of Python's machine") {
  Manifest manifest = make_manifest();
  manifest.settings = {{"cross", "true"}};
  const auto requirements = requirements_of(manifest);
  for (const char* name : {"kernel", "python-abi"})
    CHECK(std::ranges::find(requirements, name, &HostRequirement::name) == requirements.end());
}

TEST_CASE("host_requirements: what --set says of the machine counts") {
  Manifest manifest = make_manifest();
  manifest.settings = {{"os", "debian-11"}, {"arch", "aarch64"}};
  manifest.target["arch"] = "aarch64";
  const auto requirements = requirements_of(manifest);
  for (const auto& [name, wanted] : {std::pair("os", "debian-11"), {"arch", "aarch64"}, {"kernel", "aarch64"}})
    CHECK(std::ranges::find(requirements, name, &HostRequirement::name)->wanted == wanted);
}

TEST_CASE("host_requirements: --set os=none asks for no system") {
  Manifest manifest = make_manifest();
  manifest.settings = {{"os", "none"}};
  manifest.target.erase("os");
  const auto requirements = requirements_of(manifest);
  CHECK(std::ranges::find(requirements, "os", &HostRequirement::name) == requirements.end());
}

TEST_CASE("host_requirements: the advice is a command") {
  const auto requirements = requirements_of(make_manifest());
  const auto advice = [&](const std::string& name) {
    return std::ranges::find(requirements, name, &HostRequirement::name)->advice;
  };
  CHECK(advice("import-yaml") == "python3 -m pip install 'pyyaml<6'");
  CHECK(advice("pyyaml") == "python3 -m pip install 'pyyaml<6'");
  CHECK(advice("kernel") == "setarch linux32 sh torchpatch/build.sh");
  const auto gcc = std::ranges::find(requirements, "gcc", &HostRequirement::name);
  for (const HostStep& step : gcc->steps)  // 9 has an issue that this tree does not answer, 11 is beyond the bound
    CHECK(step.advice == (step.fails ? "install gcc-10 and g++-10, then set CC=gcc-10 CXX=g++-10" : ""));
  Manifest own = make_manifest();  // the image's system packages its own series, and may lack newer ones
  own.target["gcc"] = "7.5";
  const auto of_image = requirements_of(own);
  CHECK(std::ranges::find(of_image, "gcc", &HostRequirement::name)->steps.front().advice ==
        "install gcc-7 and g++-7, then set CC=gcc-7 CXX=g++-7");
  CHECK(advice("USE_MPI") == "apt-get install libopenmpi-dev, or drop USE_MPI");
}

namespace {

/// "gcc 11 has a known issue gcc-11": what the gate would refuse of the tools that the plan's own image has.
std::vector<std::string> refused_of_image(const Catalog& catalog, const Plan& plan) {
  const Manifest manifest = trees::make_manifest(plan, catalog, {});
  std::vector<std::string> refused;
  for (const HostRequirement& requirement : trees::host_requirements(catalog, manifest, plan)) {
    const std::string* const text = find_value(manifest.target, requirement.name);
    const std::optional<Version> version = text ? Version::parse(*text) : std::nullopt;
    if (!version) continue;
    const HostStep* last = nullptr;
    for (const HostStep& step : requirement.steps)
      if (*Version::parse(step.from) <= *version) last = &step;
    if (last && last->fails) refused.push_back(join({requirement.name, *text, last->verdict, last->issue}, " "));
  }
  return refused;
}

}  // namespace

TEST_CASE("the shipped catalog: the gate of a plan refuses no tool of its own image but a CMake, which pip replaces") {
  const Catalog catalog = catalog::load_catalog({{"shipped", torchpatch::test::source_directory()}});
  int plans = 0;
  for (const std::string release : {"1.1.0", "1.5.1", "1.10.2"}) {
    for (const std::string board : {"tx2", "zcu104", "pynq-z2"}) {
      for (const Image& image : catalog.board(board).images) {
        CAPTURE(release, board, image.id);
        std::optional<Plan> plan;
        try {
          plan = plan::make_plan(catalog, release, board, image.id, {});
        } catch (const Error&) {
          continue;  // they do not fit
        }
        ++plans;
        for (const std::string& refused : refused_of_image(catalog, *plan))
          CHECK_THAT(refused, Catch::StartsWith("cmake ") && Catch::Contains(" cmake-below-3"));
      }
    }
  }
  CHECK(plans > 20);
}
