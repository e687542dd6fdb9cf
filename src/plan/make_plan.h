// SPDX-License-Identifier: BSD-3-Clause
/// make_plan(): what prepare will do for a release, board, image and options; pure and total.
#pragma once

#include <optional>
#include <string>

#include "model/plan.h"

namespace torchpatch::plan {

/// Returns the text whose SHA-256 is a plan's digest, equal for plans that give the same trees, whatever the board,
/// image and options: lines of tab-separated fields (docs/formats.md, "The plan digest"):
///
///     torchpatch plan 1
///     component  torch  <commit>             for each component, in the order torch, vision, audio
///     override   <commit>  <repository>       for each submodule that is taken at another commit, by repository
///     patch      <sha256>  <repository>       for each patch, in the order of application
///     file       <mode>  <sha256>  <repository>  <path>    for each added file, by repository and path
///
/// No field can contain a tab or a line feed: the loader refuses control bytes in names and paths.
std::string canonical_text(const Plan& plan);

/// Returns the plan for a release, a board and an image (empty = the board's default for this release), with a decision
/// on every issue. Raises usage: unknown or partial version, unknown board, image, fix or setting (each with the
/// nearest names); a board and a version that do not match (Python or CUDA of every image outside the release's
/// bounds), or a host that cannot build for the board, with the reason, unless options.force. Raises patch if two fixes
/// override one submodule differently. The result points into `catalog`.
Plan make_plan(const Catalog& catalog, const std::string& version, const std::string& board, const std::string& image,
               const PlanOptions& options);

/// Returns the plan, or nothing if the release and the image do not match. Otherwise raises as make_plan.
std::optional<Plan> plan_if_fits(const Catalog& catalog, const Release& release, const Board& board, const Image& image,
                                 const PlanOptions& options = {});

}  // namespace torchpatch::plan
