// SPDX-License-Identifier: BSD-3-Clause
/// verify: is this tree the pinned commits plus these patches? Trusts nothing that lies in the tree (design §9.2).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/catalog.h"
#include "model/manifest.h"
#include "model/verify.h"
#include "record/sums.h"
#include "source/closure/object_source.h"
#include "support/console.h"
#include "tree/scan.h"
#include "trees/verify/comparisons.h"

namespace torchpatch::trees {

/// A prepared tree as it lies on disk.
struct ScannedTree {
  std::string root;
  Manifest manifest;
  std::string manifest_bytes;
  Sha256 digest;  ///< of the manifest's bytes
  record::Sums sums;
  Sha256 sums_digest;                       ///< of SHA256SUMS, as it was read
  std::vector<tree::ScannedEntry> scanned;  ///< every path below root, sorted bytewise
};

using UseManifest = std::function<void(const Manifest&)>;

/// Whether files that no list has are hashed as well.
enum class Unlisted { unread, read };

/// Reads the record in torchpatch/ and every file again, and calls `meanwhile`, where it is given, while the tree is
/// listed. Raises environment where `root` is not a prepared tree, data or unsafe where its record cannot be read, and
/// what `meanwhile` raises.
ScannedTree scan_prepared_tree(const std::string& root, int jobs, Console& console, const UseManifest& meanwhile = {},
                               Unlisted unlisted = Unlisted::unread);

/// Returns the manifest of the tree at `root`; raises as scan_prepared_tree does.
Manifest read_manifest_of(const std::string& root);

/// Compares the files with SHA256SUMS and the manifest, these with each other, and takes the patches back out: the
/// pinned commits must come out (rebuild_base.h). Licences are read again, and the manifest's companions computed
/// again. What is listed must be of a repository, or what a tree's record has. `strict_modes` as for compare_listing().
TreeComparison compare_with_record(const ScannedTree& tree, bool strict_modes);

struct VerifyOptions {
  int jobs = 1;
  std::string expect{};  ///< 40-digit tree id, swh:1:dir:<id>, or 64-digit manifest digest; empty = none
  /// Who may have signed the manifest: an allowed_signers file, an OpenSSH or minisign public key; empty = not asked.
  std::string signers{};
  bool strict_modes = false;  ///< all permission bits count, not only the executable one
  bool no_options = false;    ///< what whoever prepared it chose is a difference
  /// Where to read the pinned sources, which name the files whose records were forged as well; null: nowhere.
  source::ObjectSource* source = nullptr;
  bool after_build = false;  ///< paths that are in no list are what a build added, not differences
};

/// Returns the catalog to compare with, by the names of the layers that the manifest says its entries came from (from
/// the user's installation, never from the tree).
using LoadCatalog = std::function<Catalog(const std::vector<std::string>& layers)>;

/// Re-reads the tree at `root` and reports every difference. Takes the patches back out in memory, rebuilds every base
/// tree and must arrive at the pinned commits through the raw commit objects of the manifest; pins, patches and added
/// files are then compared with those of the catalog that `load` returns, called while the tree is listed. Raises data
/// where the manifest cannot be read at all, environment where `root` is not a prepared tree.
VerifyReport verify(const std::string& root, const LoadCatalog& load, const VerifyOptions& options, Console& console);

/// The same for a tree that was read already.
VerifyReport verify(const ScannedTree& tree, const Catalog& catalog, const VerifyOptions& options, Console& console);

/// Returns the names of the catalog layers that the manifest says its entries came from.
std::vector<std::string> layers_of(const Manifest& manifest);

}  // namespace torchpatch::trees
