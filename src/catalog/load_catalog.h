// SPDX-License-Identifier: BSD-3-Clause
/// Data files → Catalog.
#pragma once

#include <string>
#include <vector>

#include "model/catalog.h"
#include "support/findings.h"

namespace torchpatch::catalog {

/// A directory with releases/ boards/ known_issues/ patchsets/ results/ and moved_repositories.json (each optional).
struct Layer {
  std::string name;  ///< "shipped", or for --catalog the directory's last component
  std::string directory;
};

/// Loads the layers one over the other. A layer may add entries; one whose id is already there is an error unless it
/// says
/// `"replaces": "<sha256 of the file it replaces>"`. Raises data with all findings of all files.
Catalog load_catalog(const std::vector<Layer>& layers);

/// The same with the findings as values, sorted; a catalog with findings is not whole.
struct CheckedCatalog {
  Catalog catalog;
  std::vector<Finding> findings;
};
CheckedCatalog load_catalog_with_findings(const std::vector<Layer>& layers);

}  // namespace torchpatch::catalog
