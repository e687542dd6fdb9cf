// SPDX-License-Identifier: BSD-3-Clause
/// Recipes on disk: writes one, or a matrix (write_generated), and finds the files in which one that is there differs
/// (compare_recipe).
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

/// Which directory a recipe or a matrix is written to.
struct GeneratedOutput {
  std::string directory;
  tree::OutputRecord record;  ///< what tells that torchpatch wrote one there before
  /// --replace: returns the names of the files that torchpatch wrote there before, as its record tells; absent: what is
  /// there is an error.
  std::function<std::vector<std::string>()> earlier{};
};

/// Writes generated files, all or nothing. With `earlier` all are written before the first takes the place of an old
/// one; those that are not written any more go, and what torchpatch did not write (a matrix's results) stays. The
/// record, by which the next run knows its files, comes last: that finishes what a killed one began. Raises environment
/// as tree::Staging does, and where a link stands in the place of a file's directory; what `earlier` raises.
void write_generated(const std::vector<record::GeneratedFile>& files, const GeneratedOutput& output, Console& console);

/// Returns where a recipe is written: to `directory`, with --replace in the place of another one.
GeneratedOutput recipe_output(const std::string& directory, bool replace);

/// Returns the names of files in `directory` that are not these: changed, missing, extra, or executable where they must
/// not be and the other way round, sorted. Raises environment where it cannot be read.
std::vector<std::string> compare_recipe(const std::vector<record::GeneratedFile>& files, const std::string& directory);

/// Returns what a recipe for this tree is made of, but kind, system and CUDA. Points into `tree`.
record::RecipeInput recipe_for(const ScannedTree& tree, const Catalog& catalog);

/// Returns the plan with cross=true, as the sysroot recipe needs it, unless its options decide that fact. Raises as
/// plan::make_plan.
Plan plan_cross_build(const Catalog& catalog, const Plan& plan);

/// Returns the system that --root names: by its name, or as a directory (with a '/') that holds a root of it. Raises
/// environment where that has no os-release.
std::string system_of(const std::string& root);

/// Sets kind, system and CUDA to what the recipe in `directory` says they are. Raises environment where there is no
/// recipe.json, data where it is malformed.
void take_over(const std::string& directory, record::RecipeInput& input);

}  // namespace torchpatch::trees
