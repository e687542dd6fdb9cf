// SPDX-License-Identifier: BSD-3-Clause
/// verify, first part: what lies on disk against what SHA256SUMS and the manifest list, path by path.
#pragma once

#include <string>
#include <vector>

#include "model/catalog.h"
#include "model/manifest.h"
#include "model/plan.h"
#include "model/verify.h"
#include "record/sums.h"
#include "tree/scan.h"

namespace torchpatch::trees {

struct TreeComparison {
  std::vector<Difference> differences;
  std::vector<std::string> extras;  ///< paths that no list has; outermost only (a directory stands for what it holds)
  /// What SHA256SUMS or the manifest's links name; only that belongs to OUT.
  std::vector<const tree::ScannedEntry*> listed;
};

/// Compares a scan of OUT, which must outlive the result, with the lists, which were read before it (SHA256SUMS has
/// `sums_digest`): changed, missing, mode, link, type,
/// unreadable, and extras. `strict_modes`: all permission bits count, not only the executable one.
TreeComparison compare_listing(const std::vector<tree::ScannedEntry>& scanned, const Manifest& manifest,
                               const record::Sums& sums, const Sha256& sums_digest, bool strict_modes);

// verify, third part: pins, patches, added files and generated files against a catalog that the verifier trusts.

/// Adds to `result` pin-not-in-catalog, override-not-in-catalog, patch-not-in-catalog, result; and manifest and changed
/// for everything that the same plan would have written otherwise (environment, build files). Where another version or
/// another catalog wrote that, it is unvouched.
/// `bytes` are those of the manifest.
void compare_with_catalog(const Manifest& manifest, const std::string& bytes, const Catalog& catalog,
                          TreeComparison& result);

/// Returns the plan that the catalog makes of a manifest's release, board, image and options. Raises as make_plan.
Plan plan_again(const Manifest& manifest, const Catalog& catalog);

/// Returns the components and the image of a manifest as options, where they are not those that its release and board
/// have by themselves.
std::vector<std::string> chosen_parts(const Manifest& manifest, const Catalog& catalog);

/// Returns that another version of torchpatch wrote the tree, or empty text.
std::string other_version(const Manifest& manifest);

/// Returns the difference for a generated file which this program cannot write again, and says what settles it.
Difference unvouched(const std::string& path, const std::string& why);

}  // namespace torchpatch::trees
