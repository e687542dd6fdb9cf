// SPDX-License-Identifier: BSD-3-Clause
/// What a proof is run on: the parts of the pinned tree that it reads, without and with the patches of one variant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/catalog.h"
#include "source/closure/pinned_lookup.h"
#include "tree/write_files.h"

namespace torchpatch::upkeep {

/// A proof to run for one release.
struct ProofJob {
  const Release* release = nullptr;
  const Patchset* patchset = nullptr;
  const Variant* variant = nullptr;
  const Proof* proof = nullptr;
};

/// Returns "proof 'limits' of cuda-threads at 1.1.0".
std::string name_of(const ProofJob& job);

/// Both sides, at their paths in OUT. Besides the parts that the proof names each holds what the patches touch, so that
/// the sides differ in that alone.
struct ProofTrees {
  std::vector<tree::FileToWrite> before, after;
};

/// The worker's half: reads and patches both sides and returns them as bytes. Raises as PinnedLookup; data where the
/// pinned tree has nothing at a path that the proof names; patch where a patch does not apply.
std::string read_proof_trees(const ProofJob& job, source::PinnedLookup& lookup);
ProofTrees decode_proof_trees(std::string_view bytes);

}  // namespace torchpatch::upkeep
