// SPDX-License-Identifier: BSD-3-Clause
#include "catalog/load_catalog.h"

#include "catalog/assembly.h"
#include "catalog/check_references.h"
#include "catalog/layer.h"

namespace torchpatch::catalog {

Catalog load_catalog(const std::vector<Layer>& layers) {
  Assembly assembly;
  for (const Layer& layer : layers) {
    lay_layer(layer, assembly);
  }
  check_references(assembly);
  assembly.findings.raise_if_any("loading the catalog");
  return std::move(assembly.catalog);
}

}  // namespace torchpatch::catalog
