// SPDX-License-Identifier: BSD-3-Clause
/// prepare: plan → closure → patches in memory → files written once → sealed → one rename.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/keep.h"
#include "model/manifest.h"
#include "model/plan.h"
#include "source/closure/object_source.h"
#include "support/console.h"
#include "support/worker_pool.h"
#include "tree/staging.h"
#include "tree/write_files.h"
#include "trees/sign/signature.h"

namespace torchpatch::trees {

/// Returns a line for each path of each uncertified patch and each blob that the patch is certified for, with the
/// releases that have this blob: "cuda-threads/T2/0001-cap.patch expects torch:a/file.h to be 70a7d05b…
/// (1.1.0, 1.2.0)". A patch that no release is certified for has no line.
std::vector<std::string> certified_blobs(const Plan& plan, const Catalog& catalog);

// prepare: plan → closure → patches in memory → files written once → sealed → one rename.

struct PrepareOptions {
  std::string output;
  tree::IfExists if_exists = tree::IfExists::refuse;
  int jobs = 1;
  WorkerLimits limits;
  bool allow_uncertified = false;
  bool allow_partial = false;  ///< continue without files and submodules that no source has
  bool strict_tags = false;
  bool sync = false;
  SigningKey sign{};  ///< signs the manifest
  std::uint64_t max_bytes = tree::kMaxTreeBytes;
};

/// What came out, and what belongs into a run report rather than into OUT.
struct Prepared {
  std::string output;
  Manifest manifest;
  Sha256 manifest_digest;
  Signature signature;  ///< of the manifest; without bytes if it was not signed
  /// Repository → the object folder its commit was read from; varies by run.
  std::vector<std::pair<std::string, std::string>> origins;
  std::vector<ArchiveComparison> archives;  ///< what the release archives among the sources had
  std::vector<std::string> warnings;
  std::vector<std::string> notes;  ///< what nobody can act on
  std::vector<std::string> moved;  ///< hunks off their line, as certified; others are warnings
};

/// Refuses a plan with patches that nobody has certified for these pins, unless that is allowed, and one with a fix
/// that has nothing for the release: raises patch, with what the patches expect. prepare() begins with it; asked
/// before, nothing need be opened for such a plan.
void require_certificates(const Plan& plan, const Catalog& catalog, bool allow_uncertified);

/// Writes the tree that `plan` describes to options.output. Raises patch as require_certificates does, and where a
/// patch does not give what its certificate says; data where the result differs from the recorded one; and everything
/// that the closure, the writer and the staging raise.
Prepared prepare(const Catalog& catalog, const Plan& plan, source::ObjectSource& source, const PrepareOptions& options,
                 Console& console);

/// Returns a line for each commit of the plan that prepare() would not find whole in the folders of `source`, with
/// allow_partial only those that it does not do without. Overrides are not looked up. Nothing is fetched. Raises as
/// source::survey_closures.
std::vector<std::string> missing_sources(const Catalog& catalog, const Plan& plan, const source::ObjectSource& source,
                                         const PrepareOptions& options, Console& console);

/// Builds again what `manifest_path` (".../torchpatch/manifest.json") describes, from its pins and the files beside it,
/// without a catalog; every byte of the new OUT equals the old one's. Raises data where a file beside the manifest is
/// not what the manifest says; source where the manifest is of a partial tree and the sources lack more or less.
Prepared prepare_locked(const std::string& manifest_path, source::ObjectSource& source, const PrepareOptions& options,
                        Console& console);

}  // namespace torchpatch::trees
