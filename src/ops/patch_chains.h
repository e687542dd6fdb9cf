// SPDX-License-Identifier: BSD-3-Clause
/// Patches that meet in files. What a patch does depends on the patches before it that meet it, and on no others, so
/// each chain of them can be applied, certified and checked by itself, once for all plans that have it.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/plan.h"

namespace torchpatch::ops {

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

}  // namespace torchpatch::ops
