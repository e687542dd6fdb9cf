// SPDX-License-Identifier: BSD-3-Clause
#include "model/repository_path.h"

#include "model/path_rule.h"

namespace torchpatch {

const char* component_name(Component component) {
  switch (component) {
    case Component::torch:
      return "torch";
    case Component::vision:
      return "vision";
    case Component::audio:
      return "audio";
  }
  return "";
}

const char* component_directory(Component component) {
  return component == Component::torch ? "pytorch" : component_name(component);
}

std::optional<Component> parse_component(std::string_view name) {
  for (const Component component : {Component::torch, Component::vision, Component::audio}) {
    if (name == component_name(component)) return component;
  }
  return std::nullopt;
}

std::optional<RepositoryPath> RepositoryPath::parse(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::optional<Component> component = parse_component(text.substr(0, colon));
  if (!component) return std::nullopt;
  if (colon == std::string_view::npos) return RepositoryPath{*component, ""};
  const std::string_view path = text.substr(colon + 1);
  if (path_problem(path)) return std::nullopt;
  return RepositoryPath{*component, std::string(path)};
}

std::string RepositoryPath::text() const {
  const std::string name = component_name(component);
  return path.empty() ? name : name + ":" + path;
}

}  // namespace torchpatch
