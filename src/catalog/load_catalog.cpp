// SPDX-License-Identifier: BSD-3-Clause
#include "catalog/load_catalog.h"

#include <algorithm>
#include <tuple>

#include "catalog/assembly.h"
#include "catalog/check_references.h"
#include "catalog/layer.h"

namespace torchpatch::catalog {

namespace {

Assembly assemble(const std::vector<Layer>& layers) {
  Assembly assembly;
  for (const Layer& layer : layers) {
    lay_layer(layer, assembly);
  }
  check_references(assembly);
  return assembly;
}

}  // namespace

Catalog load_catalog(const std::vector<Layer>& layers) {
  Assembly assembly = assemble(layers);
  assembly.findings.raise_if_any("loading the catalog");
  return std::move(assembly.catalog);
}

CheckedCatalog load_catalog_with_findings(const std::vector<Layer>& layers) {
  Assembly assembly = assemble(layers);
  std::vector<Finding> findings = assembly.findings.list();
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    return std::tie(a.file, a.line) < std::tie(b.file, b.line);
  });
  return {std::move(assembly.catalog), std::move(findings)};
}

}  // namespace torchpatch::catalog
