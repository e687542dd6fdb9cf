// SPDX-License-Identifier: BSD-3-Clause
#include "cli/sources.h"

#include "sample/write_repositories.h"
#include "support/error.h"
#include "support/text.h"

namespace torchpatch::cli {

const std::vector<EmbeddedSource>& embedded_sources() {
  static const std::vector<EmbeddedSource> sources = {{"sample", sample::write_repositories}};
  return sources;
}

std::vector<std::string> embedded_source_names() {
  std::vector<std::string> names;
  for (const EmbeddedSource& source : embedded_sources()) names.push_back(source.name);
  return names;
}

const EmbeddedSource& find_embedded_source(const std::string& name) {
  for (const EmbeddedSource& source : embedded_sources()) {
    if (source.name == name) return source;
  }
  throw Error(ErrorKind::usage, concat("unknown source ", quote(name)), did_you_mean(name, embedded_source_names()));
}

std::string layer_directory(const EmbeddedSource& source, const std::string& data) {
  return data + "/layers/" + source.name;
}

}  // namespace torchpatch::cli
