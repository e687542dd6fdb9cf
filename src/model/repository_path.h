// SPDX-License-Identifier: BSD-3-Clause
/// RepositoryPath: the name of a repository in a closure, a component and a submodule path inside it.
#pragma once

#include <compare>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/fields.h"

namespace torchpatch {

/// The three components; their directories in OUT are pytorch, vision and audio.
enum class Component { torch, vision, audio };
inline constexpr Component kComponents[] = {Component::torch, Component::vision, Component::audio};

NAMES(Component, torch, vision, audio)
/// Returns the component's directory in OUT: "pytorch", "vision" or "audio".
const char* component_directory(Component component);

/// Such as torch:third_party/ideep/mkl-dnn; the path is empty for the component's own repository ("torch").
struct RepositoryPath {
  Component component = Component::torch;
  std::string path;

  static std::optional<RepositoryPath> parse(std::string_view text);
  std::string text() const;
  auto operator<=>(const RepositoryPath&) const = default;
};
FIELDS(RepositoryPath, component, path)

// The locations of a closure's repositories in OUT, and their nesting.

/// Returns the directory of a repository in OUT: "pytorch" or "pytorch/third_party/onnx".
std::string repository_directory(const RepositoryPath& path);

/// A submodule: its path in the parent repository, and its index in the list passed in.
struct SubmodulePlace {
  std::string path;
  std::size_t index = 0;
};

/// Returns, for each of `repositories`, its direct submodules: those of which it is the innermost enclosing repository.
std::vector<std::vector<SubmodulePlace>> place_submodules(const std::vector<RepositoryPath>& repositories);

}  // namespace torchpatch
