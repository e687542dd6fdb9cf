// SPDX-License-Identifier: BSD-3-Clause
#include "ops/prove/proof_jobs.h"

#include <algorithm>
#include <tuple>

#include "model/prove.h"
#include "support/text.h"

namespace torchpatch::ops {

namespace {

/// Returns why a patchset has no proof for a release, with the releases for which that holds.
NotProven not_proven(const Patchset& patchset, const Version& release) {
  for (const Unproven& unproven : patchset.proof.unproven) {
    if (unproven.releases.contains(release)) return {patchset.id, unproven.releases.text(), unproven.why};
  }
  return {patchset.id, release.text(), "nobody has written a proof"};
}

}  // namespace

std::string name_of(const ProofJob& job) {
  return concat("proof ", quote(job.proof->id), " of ", job.patchset->id, " at ", job.release->version.text());
}

std::vector<const Patchset*> chosen_patchsets(const Catalog& catalog, const std::vector<std::string>& ids) {
  std::vector<const Patchset*> chosen;
  for (const std::string& id : ids) chosen.push_back(&catalog.patchset(id));
  if (!ids.empty()) return chosen;
  for (const auto& [id, patchset] : catalog.patchsets) chosen.push_back(&patchset);
  return chosen;
}

std::vector<ProofJob> proof_jobs(const Release& release, const std::vector<const Patchset*>& patchsets,
                                 std::vector<NotProven>& unproven) {
  std::vector<ProofJob> jobs;
  for (const Patchset* patchset : patchsets) {
    const Variant* variant = variant_made_for(*patchset, release.version);
    if (!variant) continue;
    const std::size_t before = jobs.size();
    for (const Proof& proof : patchset->proof.proofs) {
      if (proof.releases.contains(release.version)) jobs.push_back({&release, patchset, variant, &proof});
    }
    if (jobs.size() == before) add_once(not_proven(*patchset, release.version), unproven);
  }
  return jobs;
}

void add_once(NotProven line, std::vector<NotProven>& lines) {
  const auto is_same = [&](const NotProven& other) {
    return std::tie(other.patchset, other.release, other.why) == std::tie(line.patchset, line.release, line.why);
  };
  if (std::none_of(lines.begin(), lines.end(), is_same)) lines.push_back(std::move(line));
}

}  // namespace torchpatch::ops
