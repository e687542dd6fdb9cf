// SPDX-License-Identifier: BSD-3-Clause
/// Patches that meet in files (PatchChain), for every plan that a release can have: which there are (chains_of_release)
/// and what each makes of the pinned files (apply_chain). What a patch does depends on the patches before it that meet
/// it and on no others, so each chain is applied, certified and checked by itself, once for all plans that have it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/plan.h"
#include "patch/apply.h"
#include "source/closure/pinned_lookup.h"

namespace torchpatch::trees {

/// Both must outlive this. Raises as PinnedLookup.
class LookupFiles : public patch::FileSource {
 public:
  LookupFiles(source::PinnedLookup& lookup, const source::LocatedRepository& repository)
      : lookup_(lookup), repository_(repository) {}

  std::optional<patch::TreeFile> read(const std::string& path) override;
  bool is_directory(const std::string& path) override;
  bool has_others_below(const std::string& path, const std::set<std::string>& removed) override;

 private:
  source::PinnedLookup& lookup_;
  const source::LocatedRepository& repository_;
};

// Every plan that some board, image and flag of a release reaches.

/// Returns the plans of a release for all boards and images, each with the combinations of the flags that conditions
/// know (distributed, cross). Pairs that cannot go together are left out.
std::vector<Plan> reachable_plans(const Catalog& catalog, const Release& release);

// Patches that meet in files. What a patch does depends on the patches before it that meet it, and on no others, so
// each chain of them can be applied, certified and checked by itself, once for all plans that have it.

/// Patches of one repository in the order of application, each of which meets another of them (or one alone).
struct PatchChain {
  RepositoryPath repository;
  std::vector<SubmoduleOverride> overrides;  ///< those that decide the repository's content, sorted
  std::vector<PlannedPatch> patches;         ///< none: the last override alone is looked at
};

/// Knows which paths each patch names; reads every patch once.
class PatchMeetings {
 public:
  /// True where both are for one repository and one names a path that the other names, or that lies above or below it.
  /// Raises data and unsafe where a patch is malformed.
  bool meet(const Patch& a, const Patch& b);
  /// Splits a sequence into its chains, in the order of their first patches; a chain without patches for each override
  /// comes behind them.
  std::vector<PatchChain> chains_of(const std::vector<PlannedPatch>& patches,
                                    const std::vector<SubmoduleOverride>& overrides = {});

 private:
  struct Paths {
    std::set<std::string> named;    ///< by the patch
    std::set<std::string> touched;  ///< those, and the directories above them
  };
  const Paths& paths_of(const Patch& patch);

  std::map<const Patch*, Paths> paths_;
  std::map<std::pair<const Patch*, const Patch*>, bool> known_;
};

/// Every chain of a release that some fixes lead to, each once; in an order that data alone decides.
struct ReleaseChains {
  const Release* release = nullptr;
  std::vector<PatchChain> needed;    ///< of a variant's patches alone, or of a plan that a board, image and flag reach
  std::vector<PatchChain> possible;  ///< of fixes that come or meet only where a user asks for them (--with, --set)
};

/// Returns the chains of the variants that are made for the release, by their ranges alone. Of patchsets that meet,
/// every choice counts that different issues can lead to; of more than five, each pair.
ReleaseChains chains_of_release(const Catalog& catalog, const Release& release, PatchMeetings& meetings);

// What a chain of patches makes of the pinned files of a release: the worker's half of certify and check.

struct ChainOutcome {
  std::vector<std::vector<PatchEdge>> edges;  ///< of each patch; empty where the chain does not apply
  std::string problem;                        ///< why it does not, with the patch's name; or empty
  std::optional<patch::Failure> failure;      ///< class of the problem, where it is one of a file
  std::string path;                           ///< that file
  std::optional<ObjectId> missing;            ///< the problem: this commit is in no folder, or not whole
};
template <typename Fields>
void fields(Fields& f, ChainOutcome& outcome) {
  f("edges", outcome.edges);
  f("problem", outcome.problem);
  f("failure", outcome.failure);
  f("path", outcome.path);
  f("missing", outcome.missing);
  f.require([&] { return !outcome.failure || *outcome.failure <= patch::Failure::wrong_content; });
}

/// Applies a chain, and checks the edges that its patches come with. Never raises for what is wrong with the patches or
/// for missing objects; else as PinnedLookup.
ChainOutcome apply_chain(const PatchChain& chain, const Release& release, source::PinnedLookup& lookup);

}  // namespace torchpatch::trees
