// SPDX-License-Identifier: BSD-3-Clause
#include "cli/catalog_options.h"

#include "catalog/load_catalog.h"
#include "cli/data_directory.h"
#include "cli/sources.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch::cli {

void declare_catalog_options(OptionSet& options, CatalogOptions& target) {
  options.values("--catalog", target.catalogs, "DIR", "lay your own catalog over the shipped one; may be repeated");
  options.choice("--source", target.source, embedded_source_names(),
                 "use an embedded stand-in for upstream, with its catalog layer");
}

Catalog load_catalog(const CatalogOptions& options, const Environment& environment) {
  const std::string data = data_directory(environment);
  std::vector<catalog::Layer> layers = {{"shipped", data}};
  if (!options.source.empty()) {
    const EmbeddedSource& source = find_embedded_source(options.source);
    layers.push_back({source.name, layer_directory(source, data)});
  }
  for (const std::string& directory : options.catalogs) {
    if (!is_directory(directory)) {
      throw Error(ErrorKind::usage, concat("--catalog ", quote(directory), " is not a directory"));
    }
    layers.push_back({base_name(absolute_path(directory)), directory});
  }
  return catalog::load_catalog(layers);
}

}  // namespace torchpatch::cli
