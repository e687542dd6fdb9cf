// SPDX-License-Identifier: BSD-3-Clause
/// Embedded upstreams: repositories that the program itself writes, for `--source NAME`.
#pragma once

#include <string>
#include <vector>

namespace torchpatch::cli {

struct EmbeddedSource {
  std::string name;     ///< "sample"; also its catalog layer's directory below <data>/layers
  std::string summary;  ///< for help
  /// Writes its repositories below `directory`, which exists and is empty; `data` is the directory of the shipped
  /// catalog.
  void (*write)(const std::string& data, const std::string& directory);
};

const std::vector<EmbeddedSource>& embedded_sources();
std::vector<std::string> embedded_source_names();
/// Raises usage with the names there are.
const EmbeddedSource& find_embedded_source(const std::string& name);
/// Returns the directory of its catalog layer.
std::string layer_directory(const EmbeddedSource& source, const std::string& data);

}  // namespace torchpatch::cli
