// SPDX-License-Identifier: BSD-3-Clause
/// prove: runs the proofs of patchsets on the pinned tree, without and with their patches (prove), and records what
/// came of them (proof_files, record_proofs).
#pragma once

#include <string>
#include <vector>

#include "model/catalog.h"
#include "model/proof.h"
#include "source/closure/object_source.h"
#include "support/console.h"
#include "tree/staging.h"

namespace torchpatch::upkeep {

struct ProveOptions {
  std::vector<std::string> patchsets = {};  ///< empty = every patchset
  std::vector<std::string> releases = {};   ///< empty = every release whose sources are there
  int jobs = 1;
  std::string keep = {};  ///< directory to leave the trees in, which must be empty or absent; empty = none
  /// A proof that names a path that the pinned tree does not have becomes a line of `unproven`.
  bool notes_absent = false;
};

/// Runs every chosen proof of every chosen release: the parts of the pinned tree that it reads are written out twice,
/// without and with the patches of the variant made for the release, and its commands run in each, in a process group
/// of their own, with limits, without a shell and with nothing of our environment. Raises usage for a name that the
/// catalog does not have and for a `keep` that is in use; source where a release that was named cannot be read; patch
/// where a patch does not apply; data where a proof names a path that the pinned tree does not have.
ProveReport prove(const Catalog& catalog, source::ObjectSource& source, const ProveOptions& options, Console& console);

/// Returns the files of a catalog directory that outcomes go into: patchsets/<id>/proofs/<release>.json, each beside
/// what the catalog has recorded of other proofs. A proof whose tools were not there leaves its record alone; an
/// outcome that has not changed keeps its date. `today`: 2026-11-21.
tree::FileChanges proof_files(const Catalog& catalog, const ProveReport& report, const std::string& today);

/// Writes them, and returns their paths. Raises environment.
std::vector<std::string> record_proofs(const Catalog& catalog, const ProveReport& report, const std::string& directory,
                                       const std::string& today, Console& console);

}  // namespace torchpatch::upkeep
