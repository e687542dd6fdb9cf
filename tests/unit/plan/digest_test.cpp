// SPDX-License-Identifier: BSD-3-Clause
#include "support/digest.h"
#include "plan/make_plan.h"
#include "support/catch.h"
#include "unit/plan/plan_fixture.h"

namespace torchpatch::plan {
namespace {

using namespace test;

/// Two patches and two added files, answered on every board.
Catalog make_changing_catalog() {
  Catalog catalog = make_catalog();
  Patchset& patchset = add_patchset(catalog, "p", "*", "ba");
  patchset.variants.at(0).patches.at(1).repository.path = "third_party/onnx";
  patchset.variants.at(0).files = {{"files/z", {}, "z.py", false, digest_of('c'), "z"},
                                   {"files/a", {}, "a.sh", true, digest_of('d'), "a"}};
  add_issue(catalog, "i", {}, {patch_fix("f", "p")});
  return catalog;
}

TEST_CASE("canonical_text: pins, patches in order, added files by place") {
  const Catalog catalog = make_changing_catalog();
  const Plan plan = make_plan(catalog, "1.1.0", "duo", "", {});
  CHECK(canonical_text(plan) ==
        "torchpatch plan 1\n"
        "component\ttorch\t" +
            std::string(40, '1') + "\n" + "component\tvision\t" + std::string(40, '2') + "\n" + "patch\t" +
            std::string(64, 'b') + "\ttorch\n" + "patch\t" + std::string(64, 'a') + "\ttorch:third_party/onnx\n" +
            "file\t100755\t" + std::string(64, 'd') + "\ttorch\ta.sh\n" + "file\t100644\t" + std::string(64, 'c') +
            "\ttorch\tz.py\n");
  CHECK(plan.digest == sha256(canonical_text(plan)));
}

TEST_CASE("plan digest: boards, images and options that give the same trees give the same digest") {
  Catalog catalog = make_changing_catalog();
  add_issue(catalog, "j", {}, {environment_fix("g", "USE_NCCL", "0")});
  const Sha256 digest = make_plan(catalog, "1.1.0", "duo", "", {}).digest;
  PlanOptions options;
  options.settings = {{"MAX_JOBS", "1"}, {"python", "2.7"}};
  options.without_fixes = {"g"};
  CHECK(make_plan(catalog, "1.1.0", "bare", "", {}).digest == digest);
  CHECK(make_plan(catalog, "1.1.0", "duo", "", options).digest == digest);
  catalog.patchsets.at("p").id = "q";
  catalog.patchsets.at("p").variants.at(0).id = "w";
  CHECK(make_plan(catalog, "1.1.0", "duo", "", {}).digest == digest);
}

TEST_CASE("plan digest: whatever changes a tree changes the digest") {
  const Catalog original = make_changing_catalog();
  const Sha256 digest = make_plan(original, "1.1.0", "duo", "", {}).digest;
  Catalog catalog = original;
  PlanOptions options;
  Variant& variant = catalog.patchsets.at("p").variants.at(0);
  SECTION("a pin") { catalog.releases.at(version("1.1.0")).components.at(Component::vision).commit = object_id('3'); }
  SECTION("the components") { options.components = {Component::torch}; }
  SECTION("no patches") { options.unpatched = true; }
  SECTION("a patch") { variant.patches.at(0).sha256 = digest_of('e'); }
  SECTION("the order of patches") { std::swap(variant.patches.at(0), variant.patches.at(1)); }
  SECTION("a patch's repository") { variant.patches.at(0).repository.path = "third_party/gloo"; }
  SECTION("an added file's bytes") { variant.files.at(0).sha256 = digest_of('e'); }
  SECTION("an added file's place") { variant.files.at(0).path = "y.py"; }
  SECTION("an added file's mode") { variant.files.at(0).is_executable = true; }
  CHECK(make_plan(catalog, "1.1.0", "duo", "", options).digest != digest);
}

}  // namespace
}  // namespace torchpatch::plan
