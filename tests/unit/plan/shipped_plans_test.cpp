// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <random>
#include <set>

#include "catalog/load_catalog.h"
#include "plan/image_choice.h"
#include "plan/make_plan.h"
#include "support/catch.h"
#include "support/file.h"
#include "support/source_directory.h"
#include "support/text.h"

namespace torchpatch::plan {
namespace {

/// Draws options that are legal for any release: fixes to ask for and to leave out, facts, variables, components.
class OptionsSource {
 public:
  explicit OptionsSource(const Catalog& catalog) : catalog_(catalog) {}

  PlanOptions next() {
    PlanOptions options;
    options.force = true;
    options.unpatched = one_in(8);
    if (one_in(4)) options.components = {Component::torch};
    for (const auto& [id, issue] : catalog_.issues) {
      const Fix& fix = issue.fixes.at(random_() % issue.fixes.size());
      if (one_in(6)) (one_in(2) ? options.with_fixes : options.without_fixes).insert(fix.id);
    }
    const std::vector<std::pair<std::string, std::string>> settings = {
        {"gcc", "7.5"},  {"gcc", "none"},     {"distributed", "false"}, {"cross", "true"}, {"python", "3.6"},
        {"gpu", "true"}, {"arch", "riscv64"}, {"lacks", "none"},        {"MAX_JOBS", "1"}, {"cuda", "12.6"}};
    for (const auto& [name, value] : settings)
      if (one_in(5)) options.settings[name] = value;
    return options;
  }

 private:
  bool one_in(unsigned n) { return random_() % n == 0; }

  const Catalog& catalog_;
  std::minstd_rand random_{1};  // the same options on every run
};

/// Returns what a plan says about too little, too much or without a reason, or empty text.
std::string gap_in(const Catalog& catalog, const Plan& plan) {
  if (plan.issues.size() != catalog.issues.size()) return "the number of issues";
  auto expected = catalog.issues.begin();
  for (const IssueDecision& decision : plan.issues) {
    const bool is_applied_without_fix = decision.status == IssueStatus::applied && decision.fix.empty();
    if (decision.issue != (expected++)->first || trim(decision.reason).empty() || is_applied_without_fix)
      return decision.issue;
  }
  return {};
}

bool is_same(const Plan& a, const Plan& b) {
  const auto same_decision = [](const IssueDecision& x, const IssueDecision& y) {
    return x.status == y.status && x.reason == y.reason && x.fix == y.fix && x.variant == y.variant;
  };
  const auto same_setting = [](const PlannedSetting& x, const PlannedSetting& y) {
    return x.name == y.name && x.value == y.value && x.origin == y.origin;
  };
  return a.digest == b.digest && a.image == b.image && a.python == b.python && a.warnings == b.warnings &&
         std::equal(a.issues.begin(), a.issues.end(), b.issues.begin(), b.issues.end(), same_decision) &&
         std::equal(a.environment.begin(), a.environment.end(), b.environment.begin(), b.environment.end(),
                    same_setting);
}

/// True where a plan switches something off: `USE_X=0`, or `NO_X=1`.
bool is_switched_off(const PlannedSetting& setting) {
  return setting.value == "0" || setting.value == "OFF" || (starts_with(setting.name, "NO_") && setting.value == "1");
}

/// Returns the headings of docs/defaults.md, which name the variables that it is about.
std::string headings_of_defaults() {
  std::string headings;
  for (const std::string& line : split(read_file(torchpatch::test::source_directory() + "/docs/defaults.md"), '\n'))
    if (starts_with(line, "## ")) headings += line + "\n";
  return headings;
}

TEST_CASE("make_plan: is total and deterministic for every release, board and image of the shipped catalog") {
  const Catalog catalog = catalog::load_catalog({{"shipped", torchpatch::test::source_directory()}});
  const Catalog again = catalog;
  OptionsSource source(catalog);
#ifdef TORCHPATCH_SANITIZED
  constexpr std::size_t kShare = 5;  // of what the plain build plans in full: each release and each board several times
#else
  constexpr std::size_t kShare = 1;
#endif
  std::size_t count = 0;
  std::set<std::string> off;
  for (const auto& [version, release] : catalog.releases) {
    for (const auto& [board_id, board] : catalog.boards) {
      for (const Image& image : board.images) {
        if (count++ % kShare != 0) continue;
        INFO("release " << version.text() << ", board " << board_id << ", image " << image.id);
        const PlanOptions options = source.next();
        const Plan plan = make_plan(catalog, version.text(), board_id, image.id, options);
        CHECK(gap_in(catalog, plan).empty());
        Plan second = make_plan(again, version.text(), board_id, image.id, options);
        second.image = plan.image;  // of the other catalog
        CHECK(is_same(plan, second));
        for (const PlannedSetting& setting : plan.environment)
          if (is_switched_off(setting)) off.insert(setting.name);
      }
    }
  }
  const std::string headings = headings_of_defaults();
  for (const std::string& name : off) {
    INFO("docs/defaults.md has no section on " << name);
    CHECK(headings.find(concat("`", name, "`")) != std::string::npos);
  }
}

TEST_CASE("make_plan: the wheel of each companion that reads BUILD_VERSION is named by its own version") {
  const Catalog catalog = catalog::load_catalog({{"shipped", torchpatch::test::source_directory()}});
  PlanOptions options;
  options.force = true;
  for (const auto& [version, release] : catalog.releases) {
    if (version < *Version::parse("1.3.0")) continue;
    std::map<Component, std::string> expected, planned;
    for (const auto& [component, pin] : release.components)
      if (component != Component::torch) expected[component] = pin.version;
    for (const PlannedSetting& setting : make_plan(catalog, version.text(), "tx2", "", options).environment) {
      if (setting.name != "BUILD_VERSION") continue;
      REQUIRE(setting.component.has_value());
      CHECK(setting.unread.empty());
      CHECK(setting.read_at.empty() == (setting.component != Component::vision));  // the place is vision's
      planned[*setting.component] = setting.value;
    }
    INFO("release " << version.text());
    CHECK(planned == expected);
  }
}

TEST_CASE("rpi4: its default is the newest 64-bit Raspberry Pi OS that fits, or else the newest system") {
  const Catalog catalog = catalog::load_catalog({{"shipped", torchpatch::test::source_directory()}});
  const Board& board = catalog.board("rpi4");
  const auto is_own = [](const Image* image) { return image->os.starts_with("raspios") && !image->arch; };
  for (const auto& [version, release] : catalog.releases) {
    std::vector<const Image*> fitting = fitting_images(release, board, "", {});
    if (fitting.empty()) continue;
    if (std::ranges::any_of(fitting, is_own))
      std::erase_if(fitting, [&](const Image* image) { return !is_own(image); });
    const Image* const chosen = default_image(release, board);
    INFO("release " << version.text() << " on " << chosen->id);
    CHECK(std::ranges::count(fitting, chosen) == 1);
    for (const Image* const other : fitting) CHECK(*other->glibc <= *chosen->glibc);
  }
}

TEST_CASE("make_plan: boards with programmable logic get the Zynq back end from 2.1 on, and before the reason") {
  const Catalog catalog = catalog::load_catalog({{"shipped", torchpatch::test::source_directory()}});
  const auto decide = [&](const char* version, const char* board) {
    const std::vector<IssueDecision> issues = make_plan(catalog, version, board, "", {}).issues;
    return *std::find_if(issues.begin(), issues.end(),
                         [](const IssueDecision& decision) { return decision.issue == "zynq-backend-missing"; });
  };
  CHECK(decide("2.8.0", "pynq-z2").fix == "zynq-backend");
  CHECK(decide("2.8.0", "pynq-z2").status == IssueStatus::applied);
  CHECK(decide("2.0.1", "pynq-z2").reason ==
        "no fix is used by default: fix 'zynq-backend': release is 2.0.1, not >=2.1");
  CHECK(decide("2.8.0", "rpi4").status == IssueStatus::not_affected);
}

}  // namespace
}  // namespace torchpatch::plan
