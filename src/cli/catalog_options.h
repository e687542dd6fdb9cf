// SPDX-License-Identifier: BSD-3-Clause
/// --catalog and --source: which catalog a command works with.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/option_set.h"
#include "model/catalog.h"

namespace torchpatch::cli {

struct CatalogOptions {
  std::vector<std::string> catalogs;  ///< layers over the shipped one, in order
  std::string source;                 ///< an embedded source, or empty
};

void declare_catalog_options(OptionSet& options, CatalogOptions& target);

/// A tree that was prepared from an embedded source is judged by that source's layer of this installation; only the
/// names of the layers are the tree's.
CatalogOptions with_embedded_layer(CatalogOptions options, const std::vector<std::string>& layers);

/// Loads the shipped catalog, the layer of the embedded source and the user's own, one over the other.
Catalog load_catalog(const CatalogOptions& options, const Environment& environment);

}  // namespace torchpatch::cli
