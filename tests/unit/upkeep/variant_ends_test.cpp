// SPDX-License-Identifier: BSD-3-Clause
#include "upkeep/check/check.h"

#include "catalog/load_catalog.h"
#include "support/catch.h"
#include "support/source_directory.h"

using namespace torchpatch;

namespace {

/// Releases 1.0, 1.1 and 1.2; the issue "slow" affects `issue_releases`; its patchset "fast" has the variants "A"
/// for 1.0 and "B" for `second`.
struct EndingCatalog {
  EndingCatalog(const std::string& issue_releases, const std::string& second) {
    for (const char* name : {"1.0", "1.1", "1.2"}) {
      const Version version = *Version::parse(name);
      catalog.releases[version].version = version;
    }
    Fix fix;
    fix.patchset = "fast";
    Issue& issue = catalog.issues["slow"];
    issue.id = "slow";
    issue.releases = {*VersionRange::parse(issue_releases)};
    issue.fixes = {fix};
    Patchset& patchset = catalog.patchsets["fast"];
    patchset.id = "fast";
    patchset.variants = {{"A", *VersionRange::parse("<1.1"), {}, {}}, {"B", *VersionRange::parse(second), {}, {}}};
  }
  std::vector<std::string> findings() const {
    std::vector<std::string> texts;
    for (const Finding& finding : upkeep::find_unexplained_ends(catalog)) texts.push_back(finding.text());
    return texts;
  }
  Catalog catalog;
};

}  // namespace

TEST_CASE("find_unexplained_ends: a variant that none follows, though the issue goes on, has to say why") {
  EndingCatalog ending("*", "==1.1");
  CHECK(
      ending.findings() ==
      std::vector<std::string>{
          "patchsets/fast/patchset.json: variants[1].releases: variant 'B' is for 1.1 and none for 1.2, although issue "
          "'slow' affects it: add a variant for it ('torchpatch port 1.2'), or explain in 'ends' why there is none"});
  ending.catalog.patchsets["fast"].variants[1].ends = "1.2 cannot be patched (known_issues/slow.md)";
  CHECK(ending.findings().empty());
}

TEST_CASE("find_unexplained_ends: a gap between two variants is an end") {
  CHECK(EndingCatalog("*", "==1.2").findings().size() == 1);
}

TEST_CASE("find_unexplained_ends: no reason is needed where another variant follows or the issue ends as well") {
  CHECK(EndingCatalog("*", ">=1.1").findings().empty());
  CHECK(EndingCatalog("<1.2", "==1.1").findings().empty());
  EndingCatalog by_condition("*", "==1.1");
  by_condition.catalog.issues["slow"].when = {{"release", *VersionRange::parse("<1.2"), "release <1.2"}};
  CHECK(by_condition.findings().empty());
}

TEST_CASE("find_unselected_variants: a variant for a release at which no fix selects it is a finding") {
  EndingCatalog ending("*", ">=1.1");
  CHECK(upkeep::find_unselected_variants(ending.catalog).empty());
  Fix& fix = ending.catalog.issues["slow"].fixes[0];
  fix.when = {{"release", *VersionRange::parse("<1.2"), "release <1.2"}};
  std::vector<Finding> findings = upkeep::find_unselected_variants(ending.catalog);
  REQUIRE(findings.size() == 1);
  CHECK(
      findings[0].text() ==
      "patchsets/fast/patchset.json: variants[1].releases: variant 'B' is for 1.2, but no fix selects it there: widen "
      "'when' of a fix in known_issues/slow.md");
  Fix other = fix;  // one is enough
  other.when = {{"release", *VersionRange::parse("1.2"), "release 1.2"}};
  ending.catalog.issues["slow"].fixes.push_back(other);
  CHECK(upkeep::find_unselected_variants(ending.catalog).empty());
  ending.catalog.issues["slow"].fixes.pop_back();
  ending.catalog.issues["slow"].releases = {*VersionRange::parse("<1.2")};  // nothing to fix there
  CHECK(upkeep::find_unselected_variants(ending.catalog).empty());
}

TEST_CASE("find_unexplained_ends, find_unselected_variants: the catalog has none") {
  const Catalog catalog = catalog::load_catalog({{"shipped", test::source_directory()}});
  for (const Finding& finding : upkeep::find_unexplained_ends(catalog)) FAIL_CHECK(finding.text());
  for (const Finding& finding : upkeep::find_unselected_variants(catalog)) FAIL_CHECK(finding.text());
}
