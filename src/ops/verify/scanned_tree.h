// SPDX-License-Identifier: BSD-3-Clause
/// A prepared tree as it lies on disk, and whether it is what its own record says: verify and diff begin with it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/manifest.h"
#include "model/verify.h"
#include "ops/verify/comparisons.h"
#include "record/sums.h"
#include "support/console.h"
#include "tree/scan.h"

namespace torchpatch::ops {

struct ScannedTree {
  std::string root;
  Manifest manifest;
  std::string manifest_bytes;
  Sha256 digest;  ///< of the manifest's bytes
  record::Sums sums;
  std::vector<tree::ScannedEntry> scanned;  ///< every path below root, sorted bytewise
};

using UseManifest = std::function<void(const Manifest&)>;

/// Reads the record in torchpatch/ and every file again, and calls `meanwhile`, where it is given, while the files are
/// read. Raises environment where `root` is not a prepared tree, data or unsafe where its record cannot be read, and
/// what `meanwhile` raises.
ScannedTree scan_prepared_tree(const std::string& root, int jobs, Console& console, const UseManifest& meanwhile = {});

/// Returns the manifest of the tree at `root`; raises as scan_prepared_tree does.
Manifest read_manifest_of(const std::string& root);

struct TreeComparison {
  std::vector<Difference> differences;
  std::vector<std::string> extras;  ///< paths that no list has, outermost only
  std::vector<std::string> notes;
  std::vector<tree::ScannedEntry> listed;  ///< what the lists name; only that belongs to the tree
};

/// Compares the files with SHA256SUMS and the manifest, these with each other, and takes the patches back out: the
/// pinned commits must come out (rebuild_base.h). Licences are read again, and the manifest's companions computed
/// again.
TreeComparison compare_with_record(const ScannedTree& tree, const ListingOptions& options);

/// Adds `more` to `all`.
void append(std::vector<Difference>& all, std::vector<Difference> more);

}  // namespace torchpatch::ops
