// SPDX-License-Identifier: BSD-3-Clause
/// Recipes on disk: writing one, or a matrix (write_generated), and finding files that differ from it (compare_recipe).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/catalog.h"
#include "model/plan.h"
#include "record/recipe/recipe.h"
#include "support/console.h"
#include "tree/staging.h"
#include "trees/verify/verify.h"

namespace torchpatch::trees {

/// The directory for a recipe or a matrix.
struct GeneratedOutput {
  std::string directory;
  tree::OutputRecord record;  ///< how to recognise one that torchpatch wrote
  /// --replace: returns the names of the files that torchpatch wrote there earlier, from its record; absent: existing
  /// files are an error.
  std::function<std::vector<std::string>()> earlier{};
};

/// Writes generated files, all or nothing. With `earlier`, all are written before the first replaces an old one;
/// obsolete ones are removed, and what torchpatch did not write (a matrix's results) stays. The record, from which the
/// next run knows its files, is written last, and completes what a killed run began. Raises environment as
/// tree::Staging, and if a file's directory is replaced by a link; what `earlier` raises.
void write_generated(const std::vector<record::GeneratedFile>& files, const GeneratedOutput& output, Console& console);

/// Returns the output of a recipe to `directory`; with --replace it replaces an existing one.
GeneratedOutput recipe_output(const std::string& directory, bool replace);

/// Returns the names of files in `directory` that differ from these: changed, missing, extra, or with a wrong
/// executable bit; sorted. Raises environment if it cannot be read.
std::vector<std::string> compare_recipe(const std::vector<record::GeneratedFile>& files, const std::string& directory);

/// Returns the input of a recipe for this tree, without kind, system and CUDA. Points into `tree`.
record::RecipeInput recipe_for(const ScannedTree& tree, const Catalog& catalog);

/// Returns the plan with cross=true, as required by the sysroot recipe, unless its options set that fact. Raises as
/// plan::make_plan.
Plan plan_cross_build(const Catalog& catalog, const Plan& plan);

/// Returns the system given by --root: a name, or a directory (with a '/') containing its root. Raises environment if
/// that has no os-release.
std::string system_of(const std::string& root);

/// Sets kind, system and CUDA from the recipe in `directory`. Raises environment if there is no recipe.json, data if it
/// is malformed.
void take_over(const std::string& directory, record::RecipeInput& input);

}  // namespace torchpatch::trees
