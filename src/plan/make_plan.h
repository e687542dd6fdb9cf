// SPDX-License-Identifier: BSD-3-Clause
/// make_plan(): what prepare will do for a release, a board, an image and options; pure and total.
#pragma once

#include <optional>
#include <string>

#include "model/plan.h"

namespace torchpatch::plan {

/// Returns the text whose SHA-256 is the digest of a plan, equal for plans that give the same trees, whatever board,
/// image and options led to them: lines of fields separated by tabs (docs/formats.md, "The plan digest"):
///
///     torchpatch plan 1
///     component  torch  <commit>             for each component, in the order torch, vision, audio
///     override   <commit>  <repository>       for each submodule that is taken at another commit, by repository
///     patch      <sha256>  <repository>       for each patch, in the order of application
///     file       <mode>  <sha256>  <repository>  <path>    for each added file, by repository and path
///
/// No field can hold a tab or a line feed: the loader refuses control bytes in names and paths.
std::string canonical_text(const Plan& plan);

/// Returns the plan for a release, a board and an image (empty = the board's default for this release). Every issue of
/// the catalog is in it. Raises usage: unknown or partial version, unknown board, image, fix or setting (each with the
/// nearest names); a board and a version that cannot go together (Python or CUDA of every image outside the release's
/// bounds), and a host that cannot build for the board, with the reason, unless options.force. Raises patch where two
/// fixes override one submodule differently. The result points into `catalog`.
Plan make_plan(const Catalog& catalog, const std::string& version, const std::string& board, const std::string& image,
               const PlanOptions& options);

/// Returns the plan, or nothing if the release and the image do not go together. Raises as make_plan otherwise.
std::optional<Plan> plan_if_fits(const Catalog& catalog, const Release& release, const Board& board, const Image& image,
                                 const PlanOptions& options = {});

}  // namespace torchpatch::plan
