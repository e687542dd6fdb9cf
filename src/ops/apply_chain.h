// SPDX-License-Identifier: BSD-3-Clause
/// What a chain of patches makes of the pinned files of a release: the worker's half of certify and check.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ops/patch_chains.h"
#include "patch/apply.h"
#include "patch/chain.h"
#include "source/pinned_lookup.h"
#include "source/wire.h"

namespace torchpatch::ops {

struct ChainOutcome {
  std::vector<std::vector<patch::Edge>> edges;  ///< of each patch; empty where the chain does not apply
  std::string problem;                          ///< why it does not, with the patch's name; or empty
  std::optional<patch::Failure> failure;        ///< class of the problem, where it is one of a file
  std::string path;                             ///< that file
  std::optional<ObjectId> missing;              ///< the problem: this commit is in no folder, or not whole
};

/// Applies a chain, and checks the edges that its patches come with. Never raises for what is wrong with the patches or
/// for missing objects; else as PinnedLookup.
ChainOutcome apply_chain(const PatchChain& chain, const Release& release, source::PinnedLookup& lookup);

void write_outcome(source::WireWriter& writer, const ChainOutcome& outcome);
ChainOutcome read_outcome(source::WireReader& reader);

}  // namespace torchpatch::ops
