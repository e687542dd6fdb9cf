// SPDX-License-Identifier: BSD-3-Clause
/// Which proofs are run.
#pragma once

#include <string>
#include <vector>

#include "model/catalog.h"
#include "model/prove.h"

namespace torchpatch::ops {

/// A proof to run for one release.
struct ProofJob {
  const Release* release = nullptr;
  const Patchset* patchset = nullptr;
  const Variant* variant = nullptr;
  const Proof* proof = nullptr;
};

/// Returns "proof 'limits' of cuda-threads at 1.1.0".
std::string name_of(const ProofJob& job);

/// Returns the patchsets of these ids, or all. Raises usage as Catalog::patchset.
std::vector<const Patchset*> chosen_patchsets(const Catalog& catalog, const std::vector<std::string>& ids);

/// Returns the proofs for a release, of those patchsets that have a variant for it; one without a proof becomes a line
/// of `unproven`, with its reason.
std::vector<ProofJob> proof_jobs(const Release& release, const std::vector<const Patchset*>& patchsets,
                                 std::vector<NotProven>& unproven);

/// Adds a line that is not there yet.
void add_once(NotProven line, std::vector<NotProven>& lines);

}  // namespace torchpatch::ops
