// SPDX-License-Identifier: BSD-3-Clause
/// What the files of a recipe are made of.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "record/recipe/recipe.h"

namespace torchpatch::record {

/// What Debian, GNU and qemu call an architecture.
struct ArchitectureNames {
  std::string debian, triplet, qemu;
};

struct Parts {
  RecipeInput from;
  const Manifest& manifest;
  std::string arch, system;
  const System* packages;  ///< of the system; null where none are known
  ArchitectureNames names;

  bool has(Component component) const { return std::ranges::count(manifest.components, component) > 0; }
};

/// Returns the packages that a wheel needs where it runs.
std::vector<std::string> runtime_packages(const Parts& parts);

/// Returns README.md, a page on a screen.
std::string readme(const Parts& parts);

}  // namespace torchpatch::record
