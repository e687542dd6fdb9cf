// SPDX-License-Identifier: BSD-3-Clause
#include "cli/catalog_options.h"

#include <algorithm>

#include "cli/catalog_layers.h"
#include "cli/data_directory.h"
#include "cli/sources.h"
#include "support/error.h"
#include "support/file.h"
#include "support/text.h"

namespace torchpatch::cli {

namespace {

/// Returns the layer that `--catalog text` names: a directory of the user's, else one that is shipped.
catalog::Layer named_layer(const std::string& text, const std::string& data) {
  if (is_directory(text)) return {base_name(absolute_path(text)), text};
  for (const EmbeddedSource& source : embedded_sources()) {
    if (source.name == text) return {source.name, layer_directory(source, data)};
  }
  throw Error(ErrorKind::usage,
              concat("--catalog ", quote(text), " is neither a directory nor a layer that is shipped"));
}

}  // namespace

void declare_catalog_options(OptionSet& options, CatalogOptions& target) {
  options.values("--catalog", target.catalogs, "DIR",
                 "lay another catalog over the shipped one: a directory of yours, or the name of a layer that is "
                 "shipped; may be repeated");
  options.choice("--source", target.source, embedded_source_names(),
                 "use an embedded stand-in for upstream, with its catalog layer");
}

std::vector<catalog::Layer> catalog_layers(const CatalogOptions& options, const Environment& environment) {
  const std::string data = data_directory(environment);
  std::vector<catalog::Layer> layers = {{"shipped", data}};
  if (!options.source.empty()) {
    const EmbeddedSource& source = find_embedded_source(options.source);
    layers.push_back({source.name, layer_directory(source, data)});
  }
  for (const std::string& text : options.catalogs) layers.push_back(named_layer(text, data));
  return layers;
}

CatalogOptions with_embedded_layer(CatalogOptions options, const std::vector<std::string>& layers) {
  if (!options.source.empty()) return options;
  for (const EmbeddedSource& source : embedded_sources()) {
    if (std::find(layers.begin(), layers.end(), source.name) != layers.end()) options.source = source.name;
  }
  return options;
}

Catalog load_catalog(const CatalogOptions& options, const Environment& environment) {
  return catalog::load_catalog(catalog_layers(options, environment));
}

}  // namespace torchpatch::cli
