// SPDX-License-Identifier: BSD-3-Clause
#include "plan/make_plan.h"
#include "support/catch.h"
#include "support/error.h"
#include "unit/plan/plan_fixture.h"

namespace torchpatch::plan {
namespace {

using Catch::Contains;
using namespace test;

Error error_of(const Catalog& catalog, const std::string& version, const std::string& board, const std::string& image,
               const PlanOptions& options = {}) {
  try {
    make_plan(catalog, version, board, image, options);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::usage);
    return error;
  }
  return Error(ErrorKind::internal, "no error");
}

TEST_CASE("make_plan: takes the board's default image for the release") {
  const Catalog catalog = make_catalog();
  const Plan old_plan = make_plan(catalog, "1.1.0", "duo", "", {});
  CHECK(old_plan.image->id == "old");
  CHECK(old_plan.warnings.empty());
  CHECK(make_plan(catalog, "1.9.0", "jetson-duo", "", {}).image->id == "new");
}

TEST_CASE("make_plan: python is the first of the image's that the release supports") {
  const Catalog catalog = make_catalog();
  const Plan plan = make_plan(catalog, "1.1.0", "duo", "", {});
  CHECK(plan.python == "3.5");
  CHECK(std::get<Version>(plan.facts.at("python")) == version("3.5"));
}

TEST_CASE("make_plan: --set python takes the place of the image's own") {
  const Catalog catalog = make_catalog();
  PlanOptions options;
  options.settings = {{"python", "2.7"}};
  CHECK(make_plan(catalog, "1.1.0", "duo", "", options).python == "2.7");
  options.settings = {{"python", "3.9"}};
  CHECK_THAT(error_of(catalog, "1.1.0", "duo", "", options).message(),
             Contains("builds with Python 2.7, 3.5, 3.6, not with 3.9"));
}

TEST_CASE("make_plan: where the default does not fit, the first image that fits is taken, as if it were named") {
  Catalog catalog = make_catalog();
  catalog.boards.at("duo").default_images = {{range("*"), "old"}};
  const Plan plan = make_plan(catalog, "1.9.0", "duo", "", {});
  CHECK(plan.image->id == "new");
  CHECK(plan.warnings.empty());  // else the tree would say whether the image was named
}

TEST_CASE("make_plan: refuses a named image that does not fit, with every reason") {
  const Catalog catalog = make_catalog();
  const Error error = error_of(catalog, "1.9.0", "duo", "old");
  CHECK(error.message() ==
        "release 1.9.0 and board 'duo' are incompatible:\n  image 'old': release 1.9.0 builds with Python 3.6, 3.7, "
        "not "
        "with 3.4; release 1.9.0 needs CUDA >=10.2, not 9.0");
  CHECK_THAT(error.hint(), Contains("--force"));
}

TEST_CASE("make_plan: refuses an instruction set that the release no longer supports") {
  Catalog catalog = make_catalog();
  const Release& release = catalog.release("1.9.0");
  const std::string arch = std::get<std::string>(make_plan(catalog, "1.9.0", "duo", "new", {}).facts.at("arch"));
  catalog.releases.at(release.version).unsupported_archs = {"sparc", arch};
  CHECK(error_of(catalog, "1.9.0", "duo", "new").message() ==
        "release 1.9.0 and board 'duo' are incompatible:\n  image 'new': release 1.9.0 no longer supports " + arch);
  catalog.releases.at(release.version).unsupported_archs = {"sparc"};
  CHECK(make_plan(catalog, "1.9.0", "duo", "new", {}).image->id == "new");
}

TEST_CASE("make_plan: refuses a board of which no image fits, naming each") {
  Catalog catalog = make_catalog();
  catalog.releases.at(version("1.1.0")).cuda = range(">=12");
  CHECK(error_of(catalog, "1.1.0", "duo", "").message() ==
        "release 1.1.0 and board 'duo' are incompatible:\n  image 'old': release 1.1.0 needs CUDA >=12, not 9.0\n  "
        "image "
        "'new': release 1.1.0 needs CUDA >=12, not 10.2");
}

TEST_CASE("make_plan: --force goes on with the default image and warns") {
  const Catalog catalog = make_catalog();
  PlanOptions options;
  options.force = true;
  const Plan plan = make_plan(catalog, "1.9.0", "duo", "old", options);
  CHECK(plan.image->id == "old");
  CHECK(plan.python == "3.4");
  CHECK_THAT(plan.warnings.at(0), Contains("--force: image 'old': release 1.9.0 builds with Python 3.6, 3.7"));
}

TEST_CASE("make_plan: CUDA bounds concern boards with a GPU and a known CUDA") {
  Catalog catalog = make_catalog();
  CHECK(make_plan(catalog, "1.9.0", "bare", "", {}).image->id == "only");
  Board& duo = catalog.boards.at("duo");
  duo.images.at(1).cuda = version("8.0");
  CHECK_THAT(error_of(catalog, "1.9.0", "duo", "new").message(), Contains("needs CUDA >=10.2, not 8.0"));
  duo.images.at(1).cuda.reset();
  CHECK(make_plan(catalog, "1.9.0", "duo", "new", {}).image->id == "new");
  duo.images.at(1).cuda = version("8.0");
  duo.gpu.reset();
  CHECK(make_plan(catalog, "1.9.0", "duo", "new", {}).image->id == "new");
}

TEST_CASE("make_plan: --set cuda decides whether release and image fit") {
  const Catalog catalog = make_catalog();
  PlanOptions options;
  options.settings = {{"cuda", "10.2"}, {"python", "3.6"}};
  CHECK(make_plan(catalog, "1.9.0", "duo", "old", options).image->id == "old");
}

TEST_CASE("make_plan: unknown names are usage errors with the nearest names") {
  const Catalog catalog = make_catalog();
  CHECK(error_of(catalog, "1.1.0", "duo", "odl").message() == "board 'duo' has no image 'odl'");
  CHECK(error_of(catalog, "1.1.0", "duo", "odl").hint() == "did you mean 'old'?");
  CHECK(error_of(catalog, "1.1.0", "duo", "jetpack").hint() == "its images: old, new");
  CHECK_THAT(error_of(catalog, "1.1.0", "dou", "").hint(), Contains("'duo'"));
  CHECK_THAT(error_of(catalog, "1.1", "duo", "").message(), Contains("1.1.0"));
}

TEST_CASE("make_plan: prepares the components asked for, and knows which the release has") {
  const Catalog catalog = make_catalog();
  CHECK(make_plan(catalog, "1.1.0", "duo", "", {}).components ==
        std::vector<Component>{Component::torch, Component::vision});
  PlanOptions options;
  options.components = {Component::vision};
  CHECK(make_plan(catalog, "1.1.0", "duo", "", options).components == std::vector<Component>{Component::vision});
  const Error error = error_of(catalog, "1.9.0", "duo", "", options);
  CHECK(error.message() == "release 1.9.0 has no vision");
  CHECK(error.hint() == "torchvision is left out");
}

}  // namespace
}  // namespace torchpatch::plan
