// SPDX-License-Identifier: BSD-3-Clause
/// Names a repository of a closure: a component and a submodule path inside it.
#pragma once

#include <compare>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/fields.h"

namespace torchpatch {

/// The three components; `out/` holds them as pytorch, vision and audio.
enum class Component { torch, vision, audio };
inline constexpr Component kComponents[] = {Component::torch, Component::vision, Component::audio};

NAMES(Component, torch, vision, audio)
/// Returns the directory of OUT that holds it: "pytorch", "vision" or "audio".
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

// Where the repositories of a closure lie in OUT, and which lies in which.

/// Returns the directory of a repository in OUT: "pytorch" or "pytorch/third_party/onnx".
std::string repository_directory(const RepositoryPath& path);

/// A submodule of a repository: its path there, and its index in the list that was asked about.
struct SubmodulePlace {
  std::string path;
  std::size_t index = 0;
};

/// Returns, for each of `repositories`, the submodules that lie directly in it: those whose deepest enclosing
/// repository it is.
std::vector<std::vector<SubmodulePlace>> place_submodules(const std::vector<RepositoryPath>& repositories);

}  // namespace torchpatch
