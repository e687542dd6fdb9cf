// SPDX-License-Identifier: BSD-3-Clause
#include "model/submodule_layout.h"

#include <map>

namespace torchpatch {

std::string repository_directory(const RepositoryPath& path) {
  std::string directory = component_directory(path.component);
  if (!path.path.empty()) directory += "/" + path.path;
  return directory;
}

std::vector<std::vector<SubmodulePlace>> place_submodules(const std::vector<RepositoryPath>& repositories) {
  std::map<RepositoryPath, int> index;
  for (std::size_t i = 0; i < repositories.size(); ++i) index[repositories[i]] = static_cast<int>(i);

  std::vector<std::vector<SubmodulePlace>> places(repositories.size());
  for (std::size_t i = 0; i < repositories.size(); ++i) {
    const RepositoryPath& inner = repositories[i];
    RepositoryPath outer = inner;
    while (!outer.path.empty()) {
      const std::size_t slash = outer.path.rfind('/');
      outer.path = slash == std::string::npos ? "" : outer.path.substr(0, slash);
      const auto found = index.find(outer);
      if (found == index.end()) continue;
      const std::size_t skip = outer.path.empty() ? 0 : outer.path.size() + 1;
      places[static_cast<std::size_t>(found->second)].push_back({inner.path.substr(skip), static_cast<int>(i)});
      break;
    }
  }
  return places;
}

}  // namespace torchpatch
