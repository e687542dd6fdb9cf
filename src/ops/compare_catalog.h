// SPDX-License-Identifier: BSD-3-Clause
/// verify, third part: pins, patches, added files and generated files against a catalog that the verifier trusts.
#pragma once

#include <string>
#include <vector>

#include "emit/run/reports.h"
#include "model/catalog.h"
#include "model/manifest.h"

namespace torchpatch::ops {

struct CatalogComparison {
  std::vector<emit::Difference> differences;
  std::vector<std::string> notes;
};

/// Returns pin-not-in-catalog, override-not-in-catalog, patch-not-in-catalog, result; and, where the catalog still
/// holds the very entries that the manifest names, manifest and changed for everything that the same plan would have
/// written otherwise (environment, build files). Where the catalog has moved on, a note says that those could not be
/// compared.
CatalogComparison compare_with_catalog(const Manifest& manifest, const Catalog& catalog);

}  // namespace torchpatch::ops
