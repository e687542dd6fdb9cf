// SPDX-License-Identifier: BSD-3-Clause
/// audit: changes where they stand in the files that they are for.
#pragma once

#include <functional>
#include <vector>

#include "ops/audit_patch.h"
#include "ops/touched_files.h"
#include "patch/apply.h"

namespace torchpatch::ops {

/// Gives the files of a repository as they are without any patch; null: there is no such repository.
using BaseFiles = std::function<patch::FileSource*(const RepositoryPath&)>;

/// Returns the pinned files that were read; lives no longer than `files`.
BaseFiles base_files(TouchedFiles& files);

/// Applies the patches in memory, one after the other, and shows each in the files as it finds them, with `context`
/// unchanged lines around a change; `entries` are those of the steps. Every edge that a step comes with must hold.
/// Raises as apply_series, patch where a repository is not there; with the patch's name.
void show_in_files(const std::vector<AuditStep>& steps, const BaseFiles& base, std::size_t context,
                   std::vector<emit::AuditPatch>& entries);

}  // namespace torchpatch::ops
