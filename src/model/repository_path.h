// SPDX-License-Identifier: BSD-3-Clause
/// Names a repository of a closure: a component and a submodule path inside it.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace torchpatch {

/// The three components; `out/` holds them as pytorch, vision and audio.
enum class Component { torch, vision, audio };

/// Returns "torch", "vision" or "audio".
const char* component_name(Component component);
/// Returns the directory of OUT that holds it: "pytorch", "vision" or "audio".
const char* component_directory(Component component);
std::optional<Component> parse_component(std::string_view name);

/// Such as torch:third_party/ideep/mkl-dnn; the path is empty for the component's own repository ("torch").
struct RepositoryPath {
  Component component = Component::torch;
  std::string path;

  static std::optional<RepositoryPath> parse(std::string_view text);
  std::string text() const;
  auto operator<=>(const RepositoryPath&) const = default;
};

}  // namespace torchpatch
