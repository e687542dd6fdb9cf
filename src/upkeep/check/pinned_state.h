// SPDX-License-Identifier: BSD-3-Clause
/// What the pinned files of a release say about patches: whether they apply there (PinnedState::problem_of), whether
/// upstream has what a patchset would make, by the blob ids of its certificates (PinnedState::upstream), and which
/// commit of upstream moved a patch's lines (upstream_change_text).
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "model/catalog.h"
#include "model/check.h"
#include "source/closure/pinned_lookup.h"
#include "trees/prepare/patch_chains.h"

namespace torchpatch::upkeep {

/// What the pinned files say of a patchset or of the chains of a plan.
struct PinnedVerdict {
  /// Nothing: they say nothing, or nothing is wrong. Of a patchset fixed_upstream: every file that a variant changes is
  /// what some certificate says that its last patch makes of it; not_affected: no file that any variant changes is
  /// there. Of chains fixed_upstream: all that a patch makes is there already; broken: something else is wrong.
  std::optional<CellStatus> status;
  std::string reason;               ///< in words, with path and blob id
  std::optional<ObjectId> missing;  ///< undecided, since this commit is nowhere
};

/// Answers each question once.
class PinnedState {
 public:
  /// All must outlive this.
  PinnedState(const Catalog& catalog, const Release& release, source::PinnedLookup& lookup)
      : catalog_(catalog), release_(release), lookup_(lookup) {}

  /// Returns the first problem of the chains of `plan` that hold a patch for `issue`, and of the files it adds.
  PinnedVerdict problem_of(const Plan& plan, const std::string& issue);
  /// Returns what upstream has of a patchset; undecided where an object is nowhere.
  const PinnedVerdict& upstream(const std::string& patchset);

 private:
  /// The overrides of a chain, its patches, and whether each comes with edges.
  using ChainKey =
      std::tuple<RepositoryPath, std::vector<SubmoduleOverride>, std::vector<std::pair<const Patch*, bool>>>;

  const std::vector<trees::PatchChain>& chains_of(const Plan& plan);
  const PinnedVerdict& chain_problem(const trees::PatchChain& chain);
  PinnedVerdict apply(const trees::PatchChain& chain);
  PinnedVerdict added_problem(const PlannedFile& planned, const std::vector<SubmoduleOverride>& overrides);
  std::string known_releases(const trees::PatchChain& chain, const std::string& path) const;
  std::string namesakes(const trees::PatchChain& chain, const std::string& path);

  const Catalog& catalog_;
  const Release& release_;
  source::PinnedLookup& lookup_;
  trees::PatchMeetings meetings_;
  std::map<Sha256, std::vector<trees::PatchChain>> chains_;  ///< of the plans, by digest
  std::map<ChainKey, PinnedVerdict> problems_;
  std::map<std::string, PinnedVerdict> upstream_;
};

/// Returns "; upstream changed it in 14dcdc4c35b2 (its subject)" for a chain whose patch does not fit a file of the
/// release: the first commit that it does not fit, on the way from the nearest release whose file it was made for.
/// Nothing where no such release, or not the history in between, is available.
std::string upstream_change_text(const Catalog& catalog, const Release& release, const trees::PatchChain& chain,
                                 const trees::ChainOutcome& outcome, source::PinnedLookup& lookup);

}  // namespace torchpatch::upkeep
