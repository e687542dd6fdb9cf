// SPDX-License-Identifier: BSD-3-Clause
#include "trees/prepare/prepare.h"

#include "support/catch.h"

namespace torchpatch::trees {

namespace {

Release release_at(const std::string& version, char commit) {
  Release release;
  release.version = *Version::parse(version);
  release.components[Component::torch].commit = *ObjectId::parse(std::string(40, commit));
  return release;
}

/// Two releases with one file, a third with another, and a patch that is certified for the first two.
Catalog certified_catalog() {
  Catalog catalog;
  Patchset& patchset = catalog.patchsets["threads"];
  patchset.id = "threads";
  Patch patch;
  patch.file = "T2/0001-cap.patch";
  patch.repository = {Component::torch, ""};
  patchset.variants.push_back({"T2", *VersionRange::parse("*"), {patch}, {}});
  for (const auto& [version, commit] : {std::pair{"1.1.0", '1'}, {"1.2.0", '2'}, {"1.10.0", '3'}}) {
    const Release release = release_at(version, commit);
    catalog.releases[release.version] = release;
    if (commit == '3') continue;
    CertificateEdge edge;
    edge.commit = release.components.at(Component::torch).commit;
    edge.repository = patch.repository;
    edge.path = "limit.h";
    edge.patch = patch.sha256;
    edge.before = ObjectId::parse(std::string(40, 'b'));
    patchset.certificates.push_back(edge);
  }
  return catalog;
}

Plan uncertified_plan(const Catalog& catalog) {
  const Patchset& patchset = catalog.patchset("threads");
  Plan plan;
  plan.patches.push_back({"threads", "T2", &patchset.variants.front().patches.front(), {"launch"}, {}});
  return plan;
}

}  // namespace

TEST_CASE("certified_blobs: names the blob that the patch expects and the releases that have it", "[trees]") {
  const Catalog catalog = certified_catalog();
  CHECK(certified_blobs(uncertified_plan(catalog), catalog) ==
        std::vector<std::string>{"threads/T2/0001-cap.patch expects torch: limit.h to be " + std::string(40, 'b') +
                                 " (1.1.0, 1.2.0)"});
}

TEST_CASE("certified_blobs: says nothing of certified patches and of those without any certificate", "[trees]") {
  Catalog catalog = certified_catalog();
  Plan plan = uncertified_plan(catalog);
  plan.patches.front().edges = {PatchEdge{}};
  CHECK(certified_blobs(plan, catalog).empty());
  catalog.patchsets["threads"].certificates.clear();
  CHECK(certified_blobs(uncertified_plan(catalog), catalog).empty());
}

}  // namespace torchpatch::trees
