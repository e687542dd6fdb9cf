// SPDX-License-Identifier: BSD-3-Clause
/// The plan's digest: equal for plans that give the same trees, whatever board, image and options led to them.
#pragma once

#include <string>

#include "model/plan.h"

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

}  // namespace torchpatch::plan
