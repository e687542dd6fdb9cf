// SPDX-License-Identifier: BSD-3-Clause
/// prove: runs the proofs of patchsets on the pinned tree, without and with their patches (prove), and records the
/// outcomes (proof_files, record_proofs).
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
  std::vector<std::string> patchsets = {};  ///< empty = all
  std::vector<std::string> releases = {};   ///< empty = every release with available sources
  int jobs = 1;
  std::string keep = {};  ///< directory in which to leave the trees, empty or absent; empty = none
  /// A proof with a path that is not in the pinned tree becomes a line of `unproven`.
  bool notes_absent = false;
};

/// Runs every chosen proof for every chosen release: writes the parts of the pinned tree that it reads twice, without
/// and with the patches of the release's variant, and runs its commands in each, in a process group of their own, with
/// limits, without a shell and without our environment. Raises usage for unknown names and for a `keep` that is in use;
/// source if a named release cannot be read; patch if a patch does not apply; data if a proof has a path that is not in
/// the pinned tree.
ProveReport prove(const Catalog& catalog, source::ObjectSource& source, const ProveOptions& options, Console& console);

/// Returns the files of a catalog directory with outcomes, patchsets/<id>/proofs/<release>.json, merged with the
/// existing records of other proofs. A proof whose tools are missing keeps its record; an unchanged outcome keeps its
/// date. `today`: 2026-11-21.
tree::FileChanges proof_files(const Catalog& catalog, const ProveReport& report, const std::string& today);

/// Writes them, and returns their paths. Raises environment.
std::vector<std::string> record_proofs(const Catalog& catalog, const ProveReport& report, const std::string& directory,
                                       const std::string& today, Console& console);

}  // namespace torchpatch::upkeep
