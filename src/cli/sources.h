// SPDX-License-Identifier: BSD-3-Clause
/// Embedded upstreams: repositories that the program itself writes, for `--source NAME`.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/catalog.h"

namespace torchpatch::cli {

/// Release → the commit of each component.
using WrittenReleases = std::map<Version, std::map<Component, ObjectId>>;

struct EmbeddedSource {
  std::string name;  ///< "sample"; also its catalog layer's directory below <data>/layers
  /// Writes its repositories below `directory`, which exists and is empty; `shipped` is the catalog without layers.
  /// Only those of the releases named in `only`, where any are.
  WrittenReleases (*write)(const Catalog& shipped, const std::string& directory, const std::vector<std::string>& only);
};

const std::vector<EmbeddedSource>& embedded_sources();
std::vector<std::string> embedded_source_names();
/// Raises usage with the names there are.
const EmbeddedSource& find_embedded_source(const std::string& name);
/// Returns the directory of its catalog layer.
std::string layer_directory(const EmbeddedSource& source, const std::string& data);

}  // namespace torchpatch::cli
