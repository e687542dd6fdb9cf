// SPDX-License-Identifier: BSD-3-Clause
#include "plan/image_choice.h"

#include "support/catch.h"
#include "support/error.h"
#include "support/find.h"
#include "unit/plan/plan_fixture.h"

namespace torchpatch::plan {
namespace {

using namespace test;

std::string newest(const Catalog& catalog, const std::string& board, const std::string& image = "",
                   const PlanOptions& options = {}) {
  const Release* const release = newest_release(catalog, board, image, options);
  return release ? release->version.text() : "none";
}

/// 1.9.0 needs a patch that has no variant for it.
void add_uncertified(Catalog& catalog) {
  add_issue(catalog, "limit", needs_flag("gpu", true), {patch_fix("cap", "limits")}).releases = {range(">=1.9")};
  Patchset& patchset = catalog.patchsets["limits"];
  patchset.id = "limits";
  Patch patch;
  Variant& variant = patchset.variants.emplace_back();
  variant.id = "V1";
  variant.releases = range("<1.9");
  variant.patches = {patch};
}

TEST_CASE("fitting_releases: each release with the images that it fits, the default first") {
  Catalog catalog = make_catalog();
  const Board& duo = catalog.boards.at("duo");
  std::vector<FittingRelease> fitting = fitting_releases(catalog, duo);
  REQUIRE(fitting.size() == 2);
  CHECK(fitting[0].release->version.text() == "1.1.0");
  CHECK(collect(fitting[0].images, &Image::id) == std::vector<std::string>{"old"});
  CHECK(collect(fitting[1].images, &Image::id) == std::vector<std::string>{"new"});
  catalog.releases.begin()->second.cuda.reset();
  catalog.boards.at("duo").default_images = {{range("*"), "new"}};
  CHECK(collect(fitting_releases(catalog, duo)[0].images, &Image::id) == std::vector<std::string>{"new", "old"});
}

TEST_CASE("look_at_certificates: tells where a patch of the plan has none") {
  Catalog catalog = make_catalog();
  add_uncertified(catalog);
  std::vector<FittingRelease> fitting = fitting_releases(catalog, catalog.boards.at("duo"));
  look_at_certificates(catalog, fitting);
  CHECK(collect(fitting, &FittingRelease::is_certified) == std::vector<bool>{true, false});
}

TEST_CASE("fitting_text: says the releases of a board and of an image, or that there is none") {
  Catalog catalog = make_catalog();
  const Board& duo = catalog.boards.at("duo");
  CHECK(fitting_text(catalog, duo, "") == "releases that fit board 'duo': 1.1.0 to 1.9.0");
  CHECK(fitting_text(catalog, duo, "old") == "releases that fit board 'duo' with image 'old': 1.1.0");
  for (auto& [version, release] : catalog.releases) release.python = {"2.6"};
  CHECK(fitting_text(catalog, duo, "") == "no release fits board 'duo'");
}

TEST_CASE("newest_release: goes together with board and image, and its plan is certified") {
  Catalog catalog = make_catalog();
  CHECK(newest(catalog, "duo") == "1.9.0");
  Release pre_release = catalog.release("1.9.0");
  pre_release.version = version("1.9.1-rc1");
  catalog.releases[pre_release.version] = pre_release;
  CHECK(newest(catalog, "duo") == "1.9.0");
  CHECK(newest(catalog, "duo", "old") == "1.1.0");
  PlanOptions options;
  options.components = {Component::vision};
  CHECK(newest(catalog, "duo", "", options) == "1.1.0");
  options = {};
  options.settings = {{"python", "3.5"}};
  CHECK(newest(catalog, "duo", "", options) == "1.1.0");
  options.settings = {{"python", "3.9"}};
  CHECK(newest(catalog, "duo", "", options) == "none");
  add_uncertified(catalog);
  CHECK(newest(catalog, "duo") == "1.1.0");
  CHECK(newest(catalog, "bare") == "1.9.0");
  options = {};
  options.without_fixes = {"cap"};
  CHECK(newest(catalog, "duo", "", options) == "1.9.0");
}

TEST_CASE("newest_release: of a catalog with stand-ins, a stand-in") {
  Catalog catalog = make_catalog();
  catalog.releases.begin()->second.stand_in = "made up";
  CHECK(newest(catalog, "duo") == "1.1.0");
}

TEST_CASE("newest_release: raises what makes every plan impossible") {
  const Catalog catalog = make_catalog();
  PlanOptions options;
  options.with_fixes = {"nothing"};
  CHECK_THROWS_WITH(newest(catalog, "duo", "", options), "--with 'nothing': no issue has this fix");
  CHECK_THROWS_WITH(newest(catalog, "duo", "odl"), "board 'duo' has no image 'odl'");
}

}  // namespace
}  // namespace torchpatch::plan
