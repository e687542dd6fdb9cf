// SPDX-License-Identifier: BSD-3-Clause
/// Recipes on disk: writes one (write_generated), and finds the files in which one that is there differs
/// (compare_recipe).
#pragma once

#include <string>
#include <vector>

#include "record/recipe/recipe.h"
#include "support/console.h"
#include "trees/verify/verify.h"

namespace torchpatch::trees {

/// Writes generated files to the directory `output`, all or nothing. Raises environment as tree::Staging does.
void write_generated(const std::vector<record::GeneratedFile>& files, const std::string& output, Console& console);

/// Returns the names of files in `directory` that are not these: changed, missing, extra, or executable where they must
/// not be and the other way round, sorted. Raises environment where it cannot be read.
std::vector<std::string> compare_recipe(const std::vector<record::GeneratedFile>& files, const std::string& directory);

/// Returns what a recipe for this tree is made of, but kind and system. Points into `tree`.
record::RecipeInput recipe_for(const ScannedTree& tree);

/// Returns the system that --root names: by its name, or as a directory (with a '/') that holds a root of it. Raises
/// environment where that has no os-release.
std::string system_of(const std::string& root);

/// Sets kind and system to what the recipe in `directory` says they are. Raises environment where there is no
/// recipe.json, data where it is malformed.
void take_over(const std::string& directory, record::RecipeInput& input);

}  // namespace torchpatch::trees
