// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <tuple>

#include "catalog/load_catalog.h"
#include "support/catch.h"
#include "support/source_directory.h"

namespace torchpatch::catalog {
namespace {

TEST_CASE("load_catalog: the shipped catalog has no findings") {
  CHECK_NOTHROW(load_catalog({{"shipped", torchpatch::test::source_directory()}}));
}

/// Calls `use(patchset, variant, release)` for every release that a shipped variant is made for.
template <typename Use>
void for_each_variant(const Catalog& catalog, Use use) {
  for (const auto& [id, patchset] : catalog.patchsets) {
    for (const Variant& variant : patchset.variants) {
      for (const auto& [version, release] : catalog.releases)
        if (variant.releases.contains(version)) use(patchset, variant, release);
    }
  }
}

TEST_CASE("the shipped catalog: every patchset has a proof or says why not, for each of its releases") {
  const Catalog catalog = load_catalog({{"shipped", torchpatch::test::source_directory()}});
  for_each_variant(catalog, [](const Patchset& patchset, const Variant&, const Release& release) {
    INFO(patchset.id << " at " << release.version.text());
    const auto is_covered = [&](const auto& entry) { return entry.releases.contains(release.version); };
    const auto& [proofs, unproven] = std::tie(patchset.proof.proofs, patchset.proof.unproven);
    CHECK((std::any_of(proofs.begin(), proofs.end(), is_covered) ||
           std::any_of(unproven.begin(), unproven.end(), is_covered)));
  });
}

TEST_CASE("the shipped catalog: every recorded proof is proven, and of what is shipped") {
  const Catalog catalog = load_catalog({{"shipped", torchpatch::test::source_directory()}});
  for_each_variant(catalog, [](const Patchset& patchset, const Variant& variant, const Release& release) {
    for (const ProofRecord& record : patchset.proof.records) {
      if (record.release != release.version) continue;
      INFO(patchset.id << " at " << release.version.text() << ": " << record.proof
                       << "; run torchpatch prove --record .");
      CHECK(record.verdict == ProofVerdict::proven);
      for (const Proof& proof : patchset.proof.proofs)
        if (proof.id == record.proof) CHECK(record.subject == proof_subject(release, variant, proof, patchset.proof));
    }
  });
}

}  // namespace
}  // namespace torchpatch::catalog
