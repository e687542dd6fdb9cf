// SPDX-License-Identifier: BSD-3-Clause
/// verify: is this tree the pinned commits plus these patches? Trusts nothing that lies in the tree (design §9.2).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/catalog.h"
#include "model/verify.h"
#include "ops/verify/scanned_tree.h"
#include "support/console.h"

namespace torchpatch::ops {

struct VerifyOptions {
  int jobs = 1;
  std::string expect{};  ///< 40-digit tree id, swh:1:dir:<id>, or 64-digit manifest digest; empty = none
  /// Who may have signed the manifest: an allowed_signers file, an OpenSSH or minisign public key; empty = not asked.
  std::string signers{};
  bool strict_modes = false;  ///< all permission bits count, not only the executable one
  bool after_build = false;   ///< paths that are in no list are what a build added, not differences
};

/// Returns the catalog to compare with, by the names of the layers that the manifest says its entries came from (from
/// the user's installation, never from the tree).
using LoadCatalog = std::function<Catalog(const std::vector<std::string>& layers)>;

/// Re-reads the tree at `root` and reports every difference. Takes the patches back out in memory, rebuilds every base
/// tree and must arrive at the pinned commits through the raw commit objects of the manifest; pins, patches and added
/// files are then compared with those of the catalog that `load` returns, called while the files are read. Raises data
/// where the manifest cannot be read at all, environment where `root` is not a prepared tree.
VerifyReport verify(const std::string& root, const LoadCatalog& load, const VerifyOptions& options, Console& console);

/// The same for a tree that was read already; options.jobs has no say.
VerifyReport verify(const ScannedTree& tree, const Catalog& catalog, const VerifyOptions& options);

/// Returns the names of the catalog layers that the manifest says its entries came from.
std::vector<std::string> layers_of(const Manifest& manifest);

}  // namespace torchpatch::ops
