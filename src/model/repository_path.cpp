// SPDX-License-Identifier: BSD-3-Clause
#include "model/repository_path.h"

#include <map>

#include "model/path_rule.h"

namespace torchpatch {

const char* component_directory(Component component) {
  return component == Component::torch ? "pytorch" : name_of(component);
}

std::optional<RepositoryPath> RepositoryPath::parse(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::optional<Component> component = parse_name<Component>(text.substr(0, colon));
  if (!component) return std::nullopt;
  if (colon == std::string_view::npos) return RepositoryPath{*component, ""};
  const std::string_view path = text.substr(colon + 1);
  if (path_problem(path)) return std::nullopt;
  return RepositoryPath{*component, std::string(path)};
}

std::string RepositoryPath::text() const {
  const std::string name = name_of(component);
  return path.empty() ? name : name + ":" + path;
}

std::string repository_directory(const RepositoryPath& path) {
  std::string directory = component_directory(path.component);
  if (!path.path.empty()) directory += "/" + path.path;
  return directory;
}

std::vector<std::vector<SubmodulePlace>> place_submodules(const std::vector<RepositoryPath>& repositories) {
  std::map<RepositoryPath, std::size_t> index;
  for (std::size_t i = 0; i < repositories.size(); ++i) index[repositories[i]] = i;

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
      places[found->second].push_back({inner.path.substr(skip), i});
      break;
    }
  }
  return places;
}

}  // namespace torchpatch
