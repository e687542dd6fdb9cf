// SPDX-License-Identifier: BSD-3-Clause
/// `matrix`: which pairs of a release and a board are built, by which recipe, and how large their jobs are
/// (plan_matrix); `matrix status`: what their jobs reported (matrix_status).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/catalog.h"
#include "model/matrix.h"
#include "model/plan.h"
#include "trees/recipe/recipe.h"

namespace torchpatch::trees {

struct MatrixRequest {
  std::vector<VersionRange> releases;  ///< those in any of these
  std::vector<std::string> boards;     ///< names; each once
  std::vector<std::string> images;     ///< of whichever board has them; empty: each board's own for the release
  PlanOptions options;                 ///< of every pair
  bool allow_partial = false;          ///< as in prepare, for every pair and its sources
  MatrixEngine engine = MatrixEngine::slurm;
  BuildCache cache = BuildCache::none;
};

/// Returns the pairs of the catalog's releases and these boards, by release, board and image. A board whose image
/// brings CUDA is built on the board, since no cross compiler has its toolkit; any other by the sysroot recipe, and
/// where that has no compiler for the image, on the board too (recipe native). What does not go together is left out
/// with the reason. Raises usage: no release in the range, an unknown board, an image that no board has, and options
/// that make_plan refuses whatever the pair.
Matrix plan_matrix(const Catalog& catalog, const MatrixRequest& request);

/// Returns where a matrix is written: to `directory`, with --replace in the place of another one.
GeneratedOutput matrix_output(const std::string& directory, bool replace);

/// Returns what the job of a build asks for, by the recorded one that is the best guide to it. Raises data where there
/// is none of the recipe.
JobSize size_job(const BuildSizes& sizes, const Plan& plan, RecipeKind recipe);

/// Returns what became of each pair of the matrix in `directory`, by the reports (pair.json) anywhere below `results`;
/// the newest counts. A pair without one is waiting; one whose report cannot be read has failed, and so has one that
/// has run for longer than its job may, or waits for sources that could not be fetched, `now` being the seconds since
/// 1970. Raises environment where matrix.json cannot be read, data where it is malformed.
MatrixStatus matrix_status(const std::string& directory, const std::string& results, std::int64_t now);

}  // namespace torchpatch::trees
