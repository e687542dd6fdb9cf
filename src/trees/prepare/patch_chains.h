// SPDX-License-Identifier: BSD-3-Clause
/// PatchChain: patches that touch the same files, for every possible plan of a release: which chains exist
/// (chains_of_release) and their effect on the pinned files (apply_chain).
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

/// Files of a located repository. Both arguments must outlive this. Raises as PinnedLookup.
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

// Every plan reachable with some board, image and flag of a release.

/// Returns the plans of a release for all boards and images, each with the combinations of flags used in conditions
/// (distributed, cross). Pairs that do not match are left out.
std::vector<Plan> reachable_plans(const Catalog& catalog, const Release& release);

// A patch's effect depends only on earlier patches that touch the same files, so each chain of them can be applied,
// certified and checked separately, once for all plans that contain it.

/// Patches of one repository in order of application, connected by common files (or a single one).
struct PatchChain {
  RepositoryPath repository;
  std::vector<SubmoduleOverride> overrides;  ///< those that determine the repository's content, sorted
  std::vector<PlannedPatch> patches;         ///< empty: only the last override is checked
};

/// Caches the paths that each patch names.
class PatchMeetings {
 public:
  /// Returns whether both are for one repository and one names a path that equals, contains or is below one of the
  /// other's. Raises data and unsafe if a patch is malformed.
  bool meet(const Patch& a, const Patch& b);
  /// Splits a sequence into its chains, in order of their first patches, followed by a chain without patches for each
  /// override.
  std::vector<PatchChain> chains_of(const std::vector<PlannedPatch>& patches,
                                    const std::vector<SubmoduleOverride>& overrides = {});

 private:
  struct Paths {
    std::set<std::string> named;    ///< in the patch
    std::set<std::string> touched;  ///< those, and the directories above them
  };
  const Paths& paths_of(const Patch& patch);

  std::map<const Patch*, Paths> paths_;
  std::map<std::pair<const Patch*, const Patch*>, bool> known_;
};

/// The chains that some fixes of a release lead to, without duplicates; the order depends only on data.
struct ReleaseChains {
  const Release* release = nullptr;
  std::vector<PatchChain> needed;    ///< of a variant's patches alone, or of a plan that a board, image and flag reach
  std::vector<PatchChain> possible;  ///< of fixes that are used or combined only on request (--with, --set)
};

/// Returns the chains of the variants made for the release, by their ranges. For patchsets that share files, includes
/// every combination that different issues can lead to; for more than five, every pair.
ReleaseChains chains_of_release(const Catalog& catalog, const Release& release, PatchMeetings& meetings);

// The effect of a chain on the pinned files of a release: the worker's part of certify and check.

struct ChainOutcome {
  std::vector<std::vector<PatchEdge>> edges;  ///< per patch; empty if the chain does not apply
  std::string problem;                        ///< why it does not apply, with the patch's name; or empty
  std::optional<patch::Failure> failure;      ///< class of the problem, if it is about a file
  std::string path;                           ///< that file
  std::optional<ObjectId> missing;            ///< the problem: this commit is unavailable or incomplete
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

/// Applies a chain, and checks its patches' edges. Does not raise for problems of patches or missing objects; otherwise
/// as PinnedLookup.
ChainOutcome apply_chain(const PatchChain& chain, const Release& release, source::PinnedLookup& lookup);

}  // namespace torchpatch::trees
