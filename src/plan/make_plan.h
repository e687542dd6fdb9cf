// SPDX-License-Identifier: BSD-3-Clause
/// The plan's digest: equal for plans that give the same trees, whatever board, image and options led to them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/plan.h"
#include "plan/fix_choice.h"

namespace torchpatch::plan {

/// Returns the canonical text, lines of fields separated by tabs (docs/formats.md, "The plan digest"):
///
///     torchpatch plan 1
///     component  torch  <commit>             for each component, in the order torch, vision, audio
///     override   <commit>  <repository>       for each submodule that is taken at another commit, by repository
///     patch      <sha256>  <repository>       for each patch, in the order of application
///     file       <mode>  <sha256>  <repository>  <path>    for each added file, by repository and path
///
/// No field can hold a tab or a line feed: the loader refuses control bytes in names and paths.
std::string canonical_text(const Plan& plan);

/// Returns the SHA-256 of the canonical text.
Sha256 plan_digest(const Plan& plan);

// The environment of the build, and who sets what in it.

/// Sets plan.environment: the release's variables, those of its components, then with --build-target or a host the
/// flags of the CPU, the board's variables, those of the fixes that are used (by id of the issue), and those of --set.
/// A later one takes the place of an earlier one, but one of a component only that of the same component; where their
/// values differ that is a warning of the plan. CFLAGS, CXXFLAGS, CPPFLAGS and LDFLAGS add up instead. Each setting
/// says whether the release reads it. Raises usage for a --set whose name or value cannot be in an environment, and for
/// one that check_variable_is_read refuses.
void plan_environment(const Catalog& catalog, const std::vector<FixChoice>& choices, Plan& plan);

// The overrides, patches and added files of the fixes that are used.

/// Sets plan.overrides, plan.patches and plan.files, and settles the choices whose fix has a patchset: variant,
/// `uncertified`, or `not_affected` where what it changes is not prepared. A patchset that several issues name is there
/// once. Raises patch where two patchsets override one submodule differently.
void plan_patches(const Catalog& catalog, std::vector<FixChoice>& choices, Plan& plan);

// The planner: pure and total.

/// Returns the plan for a release, a board and an image (empty = the board's default for this release). Every issue of
/// the catalog is in it. Raises usage: unknown or partial version, unknown board, image, fix or setting (each with the
/// nearest names); a board and a version that cannot go together (Python or CUDA of every image outside the release's
/// bounds), and a host that cannot build for the board, with the reason, unless options.force. Raises patch where two
/// fixes override one submodule differently. The result points into `catalog`.
Plan make_plan(const Catalog& catalog, const std::string& version, const std::string& board, const std::string& image,
               const PlanOptions& options);

/// Returns the plan, or nothing where the release and the image do not go together. Else raises as make_plan.
std::optional<Plan> plan_if_fits(const Catalog& catalog, const Release& release, const Board& board, const Image& image,
                                 const PlanOptions& options = {});

}  // namespace torchpatch::plan
