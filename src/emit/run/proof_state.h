// SPDX-License-Identifier: BSD-3-Clause
/// What the records say of a patchset's proofs today.
#pragma once

#include <string>
#include <vector>

#include "model/catalog.h"

namespace torchpatch::emit {

/// A proof at one release of the catalog.
struct ProofState {
  const Release* release = nullptr;
  const Variant* variant = nullptr;
  const Proof* proof = nullptr;
  const ProofRecord* record = nullptr;  ///< null: it has not been recorded
  bool is_current = false;              ///< the record is of these pins, patches and commands
};

/// Returns the variant that is made for a release, whether it is certified there or not, or null.
const Variant* variant_made_for(const Patchset& patchset, const Version& release);

/// Returns the states of all proofs of a patchset at the releases that a variant and the proof are made for.
std::vector<ProofState> proof_states(const Patchset& patchset, const Catalog& catalog);

/// Returns "proven", "not_red", "not_green", "outdated" or "not recorded".
std::string state_name(const ProofState& state);

/// Returns how many releases of the catalog a variant is made for, and at how many of them every proof is proven (and
/// there is one): "proven at 20 of 21 releases".
std::string coverage_text(const Patchset& patchset, const Catalog& catalog);

}  // namespace torchpatch::emit
