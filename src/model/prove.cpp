// SPDX-License-Identifier: BSD-3-Clause
#include "model/prove.h"

#include <algorithm>

#include "support/text.h"

namespace torchpatch {
namespace {

ProofState state_of(const Patchset& patchset, const Release& release, const Variant& variant, const Proof& proof) {
  ProofState state{&release, &variant, &proof, nullptr, false};
  for (const ProofRecord& record : patchset.proof.records)
    if (record.release == release.version && record.proof == proof.id) state.record = &record;
  state.is_current = state.record && state.record->subject == proof_subject(release, variant, proof, patchset.proof);
  return state;
}

bool is_proven(const ProofState& state) { return state.is_current && state.record->verdict == ProofVerdict::proven; }

}  // namespace

const Variant* variant_made_for(const Patchset& patchset, const Version& release) {
  const auto found = std::find_if(patchset.variants.begin(), patchset.variants.end(),
                                  [&](const Variant& variant) { return variant.releases.contains(release); });
  return found == patchset.variants.end() ? nullptr : &*found;
}

std::vector<ProofState> proof_states(const Patchset& patchset, const Catalog& catalog) {
  std::vector<ProofState> states;
  for (const auto& [version, release] : catalog.releases) {
    const Variant* variant = variant_made_for(patchset, version);
    for (const Proof& proof : patchset.proof.proofs)
      if (variant && proof.releases.contains(version)) states.push_back(state_of(patchset, release, *variant, proof));
  }
  return states;
}

std::string state_name(const ProofState& state) {
  if (!state.record) return "not recorded";
  return state.is_current ? verdict_name(state.record->verdict) : "outdated";
}

std::string coverage_text(const Patchset& patchset, const Catalog& catalog) {
  const std::vector<ProofState> states = proof_states(patchset, catalog);
  std::size_t made_for = 0, proven = 0;
  for (const auto& [version, release] : catalog.releases) {
    if (!variant_made_for(patchset, version)) continue;
    ++made_for;
    const auto is_here = [&, wanted = &release](const ProofState& state) { return state.release == wanted; };
    const bool has_proof = std::any_of(states.begin(), states.end(), is_here);
    const bool has_gap = std::any_of(states.begin(), states.end(),
                                     [&](const ProofState& state) { return is_here(state) && !is_proven(state); });
    proven += has_proof && !has_gap;
  }
  return concat("proven at ", proven, " of ", made_for, made_for == 1 ? " release" : " releases");
}

}  // namespace torchpatch
