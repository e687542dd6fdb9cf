// SPDX-License-Identifier: BSD-3-Clause
/// The layers that the catalog options name, for commands that load them in another way than load_catalog.
#pragma once

#include <vector>

#include "catalog/load_catalog.h"
#include "cli/catalog_options.h"

namespace torchpatch::cli {

/// Returns the shipped catalog, the layer of the embedded source and the user's own. Raises usage for a name of none.
std::vector<catalog::Layer> catalog_layers(const CatalogOptions& options, const Environment& environment);

}  // namespace torchpatch::cli
