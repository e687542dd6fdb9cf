// SPDX-License-Identifier: BSD-3-Clause
/// A prepared tree that a command works with: verified before anything is said of it.
#pragma once

#include <optional>
#include <string>

#include "cli/shared_options.h"
#include "model/verify.h"
#include "trees/verify/verify.h"

namespace torchpatch::cli {

struct PreparedTree {
  trees::ScannedTree scanned;
  Catalog catalog;  ///< by the layers that the tree was prepared with
  VerifyReport report;
};

/// Raises usage where neither a prepared tree nor a release and board are named, or both are. `else_name`: what may be
/// named in place of release and board.
void require_tree_or_pair(const std::string& command, const std::string& tree, const PlanLine& plan,
                          const std::string& else_name = "a prepared tree");

/// Returns the manifest of the tree at `directory`, whatever a build has made of the rest. Raises environment where it
/// has none, and as parse_manifest does.
Manifest read_tree_manifest(const std::string& directory);

/// Returns the tree at `directory` where it is what was prepared; else prints verify's report, as JSON where `json`,
/// and returns nothing. Raises as trees::scan_prepared_tree and load_catalog do.
std::optional<PreparedTree> open_prepared_tree(const std::string& directory, const CatalogOptions& options, int jobs,
                                               bool json, Context& context);

}  // namespace torchpatch::cli
